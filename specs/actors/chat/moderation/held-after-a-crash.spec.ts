import { expect } from "chai";
import { createRoomChanges } from "../../../../actors/channels/room-changes.ts";
import { commandNoncesIn } from "../../../../actors/chat/moderation/command-nonces.ts";
import { createHeldActions } from "../../../../actors/chat/moderation/held.ts";
import { createModerationLog } from "../../../../actors/chat/moderation/moderation-log.ts";
import { newId } from "../../../../base/ids.ts";
import { actTextsIn } from "../../../../store/mongo/chat/act-texts.ts";
import { heldDecisionsIn } from "../../../../store/mongo/chat/held-decisions.ts";
import { moderationActionsIn } from "../../../../store/mongo/chat/moderation-actions.ts";
import { type OutboxDoc, outboxCollection, outboxIn } from "../../../../store/mongo/host/outbox.ts";
import { staffLogIn } from "../../../../store/mongo/safety/staff-log.ts";
import { keys } from "../../../../store/redis/keys.ts";
import { holdMessage } from "../../../realtime/rooms/hold-message.ts";
import { openRoomsWorld, quiet, type RoomsWorld } from "../../../realtime/rooms/world.ts";
import { eventually } from "../../../support/eventually.ts";
import { quietLog } from "../../../support/quiet-log.ts";

const ORIGIN = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };

describe("A decision about a held message", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
    await world.core.start();
  });
  after(() => world.close());

  /** Of a process that dies right after its commits: what they wrote is there, and nothing of it was published. */
  function dying() {
    const { core, clock } = world;
    const { mongo, streams, outbox, channelRoles, directory, chatBans } = core;
    const changes = createRoomChanges({
      mongo,
      streams,
      outbox: { write: outbox.write, publish: async () => "some" as const },
    });
    const usersByIds = directory.usersByIds;
    const moderationLog = createModerationLog({
      changes,
      channelRoles,
      usersByIds,
      nonces: commandNoncesIn(mongo.db, clock),
      staffLog: staffLogIn(mongo.db),
      clock,
      audit: () => undefined,
      actions: moderationActionsIn(mongo.db),
      log: quietLog(),
    });
    return createHeldActions({
      changes,
      moderationLog,
      chatBans,
      usersByIds,
      clock,
      log: quiet,
      held: core.rooms.held,
      findMessage: core.rooms.findMessage,
      onApproved: () => undefined,
      decisions: heldDecisionsIn(mongo.db),
      actTexts: actTextsIn(mongo.db),
    });
  }

  async function waiting() {
    const username = `h_${newId().slice(-12)}`;
    const body = { username, email: `${username}@example.com`, password: "a phrase for held messages" };
    const { user: author } = await world.core.signIn.register(body, ORIGIN);
    const stream = await world.channel();
    const now = world.clock.now();
    const heldId = await holdMessage(world.redis, { stream, author, now }, "may I?");
    const deciding = { streamId: stream._id, by: stream.userId, origin: ORIGIN, heldId };
    const source = `moderation:${stream._id}`;
    const rows = () => outboxIn(world.db).unsentOf(source);
    return { author, stream, heldId, deciding, source, rows };
  }

  const published = async (streamId: string) =>
    (await world.rooms.history({ streamId, limit: 100 })).items.map(({ uuid, content }) => [uuid, content]);

  /** As the relay does; its process dies before the rows are removed, and another one does it again. */
  async function publishTwice(source: string, rows: OutboxDoc[]): Promise<void> {
    const { outbox } = world.core;
    await outbox.publish(source);
    await outbox.idle();
    await outboxCollection.in(world.db).insertMany(rows);
    await outbox.publish(source);
    await outbox.idle();
  }

  it("survives a death between its commit and what is published, and is published once", async () => {
    const { stream, heldId, deciding, source, rows } = await waiting();
    await dying().approveHeld(deciding);
    const left = await rows();
    expect(left.map(({ type }) => type)).deep.equal([
      "chat.message",
      "mod.held_resolved",
      "chat.held_resolved",
    ]);
    expect(await published(stream._id)).deep.equal([]);
    const before = await world.rooms.position(stream._id);

    await publishTwice(source, left);

    expect(await published(stream._id)).deep.equal([[heldId, "may I?"]]);
    expect((await world.rooms.position(stream._id)).seq).equal(before.seq + 1);
    expect(await world.redis.hlen(keys.roomHeld(stream._id))).equal(0);
  });

  it("stands before it is published: it can't be decided again, and isn't listed", async () => {
    const { deciding, stream, heldId } = await waiting();
    const { moderation } = world.core;
    await dying().approveHeld(deciding);
    expect(await moderation.listHeld(stream._id)).deep.equal([]);

    const again = await moderation.denyHeld(deciding).catch((err: unknown) => err);
    expect(again).include({ code: "invalid_state" });
    world.advance(300_000);
    await moderation.sweepHeld();

    await eventually(async () => {
      await world.core.outbox.publish(`moderation:${stream._id}`);
      expect(await published(stream._id)).deep.equal([[heldId, "may I?"]]);
      return true;
    });
    const decisions = await heldDecisionsIn(world.db).findMany([heldId]);
    expect(decisions.map(({ outcome }) => outcome)).deep.equal(["approved"]);
  });

  it("is published into a Redis that has lost everything meanwhile", async () => {
    const { deciding, stream, heldId, source } = await waiting();
    await dying().approveHeld(deciding);
    const names = await world.redis.keys(`${keys.room(stream._id)}*`);
    await world.redis.del(...names);

    await world.core.outbox.publish(source);

    expect(await published(stream._id)).deep.equal([[heldId, "may I?"]]);
  });

  it("that a sweep died with is made by the next one, published once", async () => {
    const { stream, heldId, rows, source } = await waiting();
    world.advance(300_000);
    await dying().sweepHeld();
    await world.core.moderation.sweepHeld();

    const left = await rows();
    expect(left.map(({ type }) => type)).deep.equal(["mod.held_resolved", "chat.held_resolved"]);
    expect(left[0]?.data).deep.equal({ id: heldId, outcome: "expired", by: null });
    await publishTwice(source, left);
    expect(await published(stream._id)).deep.equal([]);
    expect(await world.redis.hlen(keys.roomHeld(stream._id))).equal(0);
  });

  it("is one, of ten that approve, deny and sweep at once when the time is over", async () => {
    const { deciding, stream, heldId } = await waiting();
    const { moderation } = world.core;
    world.advance(299_999);
    const ends = [moderation.approveHeld(deciding), moderation.denyHeld(deciding)];
    world.advance(1);
    const racing = [...ends, ...Array.from({ length: 8 }, () => moderation.sweepHeld())];

    await Promise.allSettled(racing);

    const [decision] = await heldDecisionsIn(world.db).findMany([heldId]);
    await world.core.outbox.publish(`moderation:${stream._id}`);
    expect((await published(stream._id)).length).equal(decision?.outcome === "approved" ? 1 : 0);
    const actions = await moderationActionsIn(world.db).ofStream(stream._id, 0, 10);
    expect(actions.length).equal(decision?.by === null ? 0 : 1);
  });
});
