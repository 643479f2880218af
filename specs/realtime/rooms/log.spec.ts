import { expect } from "chai";
import { cursorOf, parseCursor } from "../../../base/room-position.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

describe("a room's log", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const start = { epoch: 0, seq: 0 };
  const textsIn = async (streamId: string) =>
    (await world.rooms.log.after(streamId, start, 100)).flatMap(({ chat, payload }) =>
      chat ? [JSON.parse(payload.toString()).data.content] : [],
    );

  it("takes an event of a source once, and nothing older after it", async () => {
    const { _id } = await world.channel();
    const publish = (version: number, n: number) =>
      world.rooms.publish({
        streamId: _id,
        type: "prediction.locked",
        data: { version, n },
        actor: { ref: "prediction:p1", version, n },
      });

    const answers = [];
    for (const [version, n] of [
      [1, 0],
      [1, 0],
      [1, 1],
      [2, 0],
      [1, 1],
    ] as const) {
      answers.push((await publish(version, n)).published);
    }

    expect(answers).deep.equal([true, false, true, true, false]);
    expect((await world.rooms.position(_id)).seq).equal(3);
  });

  it("publishes what is no part of the log in the step that takes it, once however often it comes", async () => {
    const { _id } = await world.channel();
    const received: unknown[] = [];
    const stop = await world.control.subscribe((order) => {
      if (order.type === "room.notice" && order.streamId === _id) received.push(order.event.data);
    });
    const send = world.redis.sendCommand.bind(world.redis);
    const publish = (id: string, version: number) =>
      world.rooms
        .publish({
          streamId: _id,
          type: "mod.action",
          data: { id },
          actor: { ref: "a", version, n: 0 },
        })
        .then(
          ({ published }) => published,
          () => "failed",
        );

    // A server that goes away right after the script.
    world.redis.sendCommand = (...args: Parameters<typeof send>) =>
      args[0].name === "publish" ? Promise.reject(new Error("ECONNRESET")) : send(...args);
    const first = await publish("one", 1);
    world.redis.sendCommand = send;
    const again = await publish("one", 1);
    await publish("two", 2);
    await eventually(() => received.length > 0 && expect(received.at(-1)).deep.equal({ id: "two" }));
    stop();

    expect(received).deep.equal([{ id: "one" }, { id: "two" }]);
    expect([first, again]).deep.equal([true, false]);
  });

  it("applies effects and appends in one step, in every mode", async () => {
    const { _id, modes } = await world.channel();

    await world.act(_id, "chat.modes", {}, [
      { kind: "modes", modes: { ...modes, slow: true, slowSeconds: 7 } },
    ]);
    await world.act(_id, "mod.action", {}, [{ kind: "role", userId: "u1", role: "moderator" }]);

    expect((await world.rooms.memberState(_id, "u1")).role).equal("moderator");
    expect((await world.rooms.memberState(_id, "u1")).modes.slow).equal(7);
    // mod.action is no part of the log.
    expect((await world.rooms.position(_id)).seq).equal(1);
  });

  it("never makes a state that was loaded from the database older", async () => {
    const stream = await world.channel();
    const user = talker();
    await world.streams.update(stream._id, { $set: { chatVersion: 5 } });
    const ban = { streamId: stream._id, userId: user.userId, until: null, reason: null, by: stream.userId };
    await world.chatBans.setBan({ ...ban, createdAt: new Date() });
    await world.rooms.position(stream._id);

    await world.rooms.publish({
      streamId: stream._id,
      type: "mod.action",
      data: {},
      actor: { ref: `moderation:${stream._id}`, version: 4, n: 0 },
      effects: [{ kind: "unban", userId: user.userId }],
    });

    expect((await world.rooms.memberState(stream._id, user.userId)).bannedUntilMs).equal(0);
  });

  it("never gives out the text of what was deleted, cleared, or sent by a user banned since", async () => {
    const stream = await world.channel();
    const [kept, deleted, banned] = [talker(), talker(), talker()];
    await world.say(stream, kept, "cleared");
    await world.act(stream._id, "chat.cleared", {}, [{ kind: "clear" }]);
    const { message } = await world.say(stream, deleted, "deleted");
    await world.say(stream, banned, "banned");
    world.advance(1_000);
    await world.say(stream, kept, "kept");
    await world.act(stream._id, "chat.message_deleted", { uuid: message.uuid }, [
      { kind: "delete", uuid: message.uuid },
    ]);
    await world.act(stream._id, "chat.user_banned", { user_id: banned.userId }, [
      { kind: "ban", userId: banned.userId, untilMs: null },
    ]);
    await world.act(stream._id, "mod.action", {}, [{ kind: "unban", userId: banned.userId }]);
    world.advance(31_000);
    await world.say(stream, banned, "back again");

    expect(await textsIn(stream._id)).deep.equal(["", "", "", "kept", "back again"]);
    const { items } = await world.rooms.history({ streamId: stream._id, limit: 100 });
    expect(items.map(({ is_deleted, content }) => [is_deleted, content])).deep.equal([
      [true, ""],
      [true, ""],
      [true, ""],
      [false, "kept"],
      [false, "back again"],
    ]);
    expect((await world.rooms.findMessage(stream._id, message.uuid))?.is_deleted).equal(true);
  });

  it("begins a new epoch on another server, and keeps what the log still has", async () => {
    const stream = await world.channel();
    const first = await world.say(stream, talker(), "before");
    await world.redis.hset(keys.roomState(stream._id), "run", "another-server");

    const second = await world.say(stream, talker(), "after");

    expect(second.epoch).greaterThan(first.epoch);
    expect(second.seq).equal(1);
    expect(await textsIn(stream._id)).deep.equal(["before", "after"]);
  });

  it("never reuses an epoch, also when the clock of Redis is behind the log", async () => {
    const stream = await world.channel();
    const future = Date.now() + 10_000_000;
    await world.redis.xadd(keys.roomLog(stream._id), `${future}-9`, "e", "{}");

    expect((await world.say(stream, talker(), "hello")).epoch).equal(future + 1);
  });

  it("pages through history both ways without a gap or a repeat", async () => {
    const stream = await world.channel();
    for (let i = 0; i < 25; i++) await world.say(stream, talker(), `m${i}`);
    const texts = (page: { items: { content: string }[] }) => page.items.map(({ content }) => content);
    const all = [...Array(25).keys()].map((i) => `m${i}`);

    const backward: string[] = [];
    for (let before = null as string | null, more = true; more; ) {
      const page = await world.rooms.history({
        streamId: stream._id,
        before: before ? parseCursor(before) : null,
        limit: 7,
      });
      backward.unshift(...texts(page));
      [before, more] = [page.before_cursor, page.has_more];
    }
    const forward: string[] = [];
    for (let after: string | null = "0:0", more = true; more && after; ) {
      const page = await world.rooms.history({
        streamId: stream._id,
        after: parseCursor(after),
        limit: 7,
      });
      forward.push(...texts(page));
      [after, more] = [page.after_cursor, page.has_more];
    }

    expect(backward).deep.equal(all);
    expect(forward).deep.equal(all);
  });

  it("reads cursors of its own form alone", () => {
    expect(parseCursor(cursorOf({ epoch: 12, seq: 3 }))).deep.equal({ epoch: 12, seq: 3 });
    for (const bad of ["", "1", "1:", ":1", "1:2:3", "a:1", "-1:2", "1.5:2", `${"9".repeat(16)}:1`]) {
      expect(parseCursor(bad)).equal(null);
    }
  });
});
