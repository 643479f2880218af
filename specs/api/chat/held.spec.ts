// @waits: for the sweep of what has expired, and until nothing comes.
import { expect } from "chai";
import { keys } from "../../../store/redis/keys.ts";
import { Socket, until } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/**
 * What a sweep does may come this late: a process that was killed, as specs before this one do, keeps the lease for ten seconds.
 */
const SWEPT_WITHIN_MS = 20_000;

describe("Held messages", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  type Room = Channel & { author: Person; hold(text?: string): Promise<string> };

  /** Shielded, with an author who has followed it for long enough and has written there before. */
  async function shielded(): Promise<Room> {
    const channel = await given.channel();
    const author = await given.followerOf(channel);
    const params = channel.at;
    await author.api.ok("sendChatMessage", { params, body: { content: "hello" } });
    world.clock.move(600_000);
    await channel.owner.api.ok("updateChatSettings", { params, body: { shield_mode: true } });
    return {
      ...channel,
      author,
      async hold(content = `https://example.com/${world.clock.now()}`) {
        world.clock.move(11_000);
        const answer = await author.api.call("sendChatMessage", { params, body: { content } });
        expect(answer.status).equal(202);
        return String(Object(answer.body).id);
      },
    };
  }

  async function follow(person: Person, path: string): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/${path}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  const decide = (by: Person, { at }: Channel, held_id: string, what: "approve" | "deny") =>
    by.api.call(what === "approve" ? "approveHeldMessage" : "denyHeldMessage", {
      params: { ...at, held_id },
    });

  const waiting = async ({ owner, at }: Channel) =>
    (await owner.api.ok("listHeldMessages", { params: at })).items.map(({ id }) => id);

  const publishedIds = async ({ at }: Channel) =>
    (await world.api.ok("listChatMessages", { params: at })).items.map(({ uuid }) => uuid);

  it("are published once they are approved: by their author, at the time of approval, to everybody", async () => {
    const room = await shielded();
    const [viewer, author, moderator] = [
      await follow(await given.user(), `chat/${room.at.stream_id}`),
      await follow(room.author, "user"),
      await follow(room.owner, `chat/${room.at.stream_id}`),
    ];
    const id = await room.hold("see https://example.com/approved");
    expect((await moderator.next("mod.held")).data).include({ id });
    expect(await publishedIds(room)).not.include(id);
    world.clock.move(20_000);
    const at = world.clock.now();

    expect((await decide(room.owner, room, id, "approve")).body).deep.equal({ success: true });

    const { data: message } = await viewer.next("chat.message");
    expect(message).include({
      uuid: id,
      user_id: room.author.id,
      content: "see https://example.com/approved",
    });
    expect(Object(message).timestamp).within(at, world.clock.now());
    expect((await author.next("chat.held_resolved")).data).deep.equal({
      id,
      stream_id: room.at.stream_id,
      outcome: "approved",
    });
    const { data: resolution } = await moderator.next("mod.held_resolved");
    expect(resolution).deep.include({ id, outcome: "approved" });
    expect(Object(resolution).by.id).equal(room.owner.id);
    expect(await waiting(room)).deep.equal([]);
    expect(await publishedIds(room)).include(id);
    expect([viewer, author, moderator].flatMap(({ problems }) => problems)).deep.equal([]);
  });

  it("are never seen once they are denied", async () => {
    const room = await shielded();
    const author = await follow(room.author, "user");
    const id = await room.hold();

    expect((await decide(room.owner, room, id, "deny")).status).equal(200);

    expect((await author.next("chat.held_resolved")).data).include({ id, outcome: "denied" });
    expect(await waiting(room)).deep.equal([]);
    expect(await publishedIds(room)).not.include(id);
  });

  it("are decided once, however many moderators decide at once", async () => {
    const room = await shielded();
    const other = await given.moderatorOf(room);
    for (let round = 0; round < 5; round++) {
      const id = await room.hold();

      const answers = await Promise.all([
        decide(room.owner, room, id, "approve"),
        decide(other, room, id, "deny"),
        decide(room.owner, room, id, "deny"),
        decide(other, room, id, "approve"),
      ]);

      expect(answers.map(({ status }) => status).sort()).deep.equal([200, 409, 409, 409]);
      const outcome = [0, 3].some((i) => answers[i]?.status === 200) ? "approved" : "denied";
      const refused = answers.filter(({ status }) => status === 409);
      for (const { code, details } of refused)
        expect({ code, details }).deep.equal({ code: "invalid_state", details: { status: outcome } });
      await eventually(async () => (await publishedIds(room)).includes(id) === (outcome === "approved"));
      expect((await publishedIds(room)).filter((one) => one === id).length).equal(
        outcome === "approved" ? 1 : 0,
      );
    }
  });

  it("that nobody knows are not found, and those of another channel neither", async () => {
    const room = await shielded();
    const elsewhere = await given.channel();
    const id = await room.hold();

    expect((await decide(elsewhere.owner, elsewhere, id, "approve")).code).equal("not_found");
    await decide(room.owner, room, id, "deny");
    expect((await decide(elsewhere.owner, elsewhere, id, "approve")).code).equal("not_found");
  });

  it("expire after five minutes, of which everybody concerned is notified once", async () => {
    const made = await shielded();
    const room = { ...made, owner: await given.signedInAgain(made.owner) };
    const author = await follow(room.author, "user");
    const moderator = await follow(room.owner, `chat/${room.at.stream_id}`);
    const id = await room.hold();
    // The clock runs on beside its moves, by seconds where the machine is busy.
    world.clock.move(270_000);
    expect(await waiting(room)).deep.equal([id]);

    world.clock.move(30_000);

    expect(await waiting(room)).deep.equal([]);
    const late = await decide(room.owner, room, id, "approve");
    expect([late.code, late.details]).deep.equal(["invalid_state", { status: "expired" }]);
    const swept = (socket: Socket, type: string) =>
      until(() => socket.ofType(type)[0], `the sweep's ${type}`, SWEPT_WITHIN_MS);
    expect((await swept(author, "chat.held_resolved")).data).include({ id, outcome: "expired" });
    const resolution = await swept(moderator, "mod.held_resolved");
    expect(resolution.data).deep.equal({ id, outcome: "expired", by: null });
    expect((await decide(room.owner, room, id, "approve")).details).deep.equal({ status: "expired" });
    expect(await world.core.redis.hlen(keys.roomHeld(room.at.stream_id))).equal(0);
  });

  it("wait while their author is timed out", async () => {
    const room = await shielded();
    const id = await room.hold();
    const target = { ...room.at, user_id: room.author.id };
    await room.owner.api.ok("timeoutUser", { params: target, body: { duration_seconds: 60 } });

    const refused = await decide(room.owner, room, id, "approve");
    expect([refused.code, refused.details]).deep.equal(["invalid_state", { status: "timed_out" }]);
    expect(await waiting(room)).deep.equal([id]);

    world.clock.move(61_000);
    expect((await decide(room.owner, room, id, "approve")).status).equal(200);
  });

  it("are denied with their author's ban for good, others' aren't", async () => {
    const room = await shielded();
    const author = await follow(room.author, "user");
    const ids = [await room.hold(), await room.hold()];
    const target = { ...room.at, user_id: room.author.id };

    await room.owner.api.ok("banUser", { params: target });

    const [first = ""] = ids;
    expect((await decide(room.owner, room, first, "approve")).code).equal("invalid_state");
    expect(await waiting(room)).deep.equal([]);
    // A private event may come twice.
    await eventually(
      () => {
        const resolutions = author.ofType("chat.held_resolved").map(({ data }) => Object(data));
        expect(new Set(resolutions.map(({ id }) => id))).deep.equal(new Set(ids));
        expect(new Set(resolutions.map(({ outcome }) => outcome))).deep.equal(new Set(["denied"]));
      },
      { withinMs: SWEPT_WITHIN_MS },
    );
    expect(await publishedIds(room)).not.include(first);
  });

  it("that are approved while their author is banned are either not published or hidden", async () => {
    const room = await shielded();
    const target = { ...room.at, user_id: room.author.id };
    for (let round = 0; round < 4; round++) {
      const id = await room.hold();

      const [approved] = await Promise.all([
        decide(room.owner, room, id, "approve"),
        room.owner.api.ok("banUser", { params: target }),
      ]);

      expect(["invalid_state", null]).include(approved.code);
      const shown = await eventually(async () => {
        const { items } = await world.api.ok("listChatMessages", { params: room.at });
        const found = items.find(({ uuid }) => uuid === id);
        return { isIn: found !== undefined, text: found?.content ?? "" };
      });
      expect(shown.text).equal("");
      await room.owner.api.ok("unbanUser", { params: target });
    }
  });

  it("stay after a clear, and are published behind it when they are approved then", async () => {
    const room = await shielded();
    const id = await room.hold();
    await room.owner.api.ok("clearChat", { params: room.at });
    expect(await waiting(room)).deep.equal([id]);

    await decide(room.owner, room, id, "approve");

    await eventually(async () => {
      const { items } = await world.api.ok("listChatMessages", { params: room.at });
      return items.some(({ uuid, is_deleted }) => uuid === id && !is_deleted);
    });
  });

  it("stay decided when Redis has them again, and are gone when it has lost them", async () => {
    const room = await shielded();
    const [denied, lost] = [await room.hold(), await room.hold()];
    const key = keys.roomHeld(room.at.stream_id);
    const before = await world.core.redis.hgetall(key);
    await decide(room.owner, room, denied, "deny");
    await eventually(async () => (await world.core.redis.hlen(key)) === 1);

    await world.core.redis.hset(key, before);
    expect(await waiting(room)).deep.equal([lost]);
    expect((await decide(room.owner, room, denied, "approve")).details).deep.equal({ status: "denied" });
    await world.core.redis.del(key);

    expect((await decide(room.owner, room, lost, "approve")).code).equal("not_found");
  });

  it("show moderators the type that they will have, by REST and by socket", async () => {
    const room = await shielded();
    const moderator = await follow(room.owner, `chat/${room.at.stream_id}`);
    const shown = { content: "waves at https://example.com/me", type: "action" };

    const id = await room.hold("/me waves at https://example.com/me");
    const plain = await room.hold();

    await eventually(() => moderator.ofType("mod.held").length === 2);
    const [action, message] = moderator.ofType("mod.held").map(({ data }) => data);
    expect(action).include({ id, ...shown });
    expect(message).include({ id: plain, type: "message" });
    const { items } = await room.owner.api.ok("listHeldMessages", { params: room.at });
    expect(items).deep.equal([action, message]);
    await decide(room.owner, room, id, "approve");
    expect((await moderator.next("chat.message")).data).include({ uuid: id, ...shown });
  });

  it("are in the fuller log and not in the channel's public one", async () => {
    const room = await shielded();
    const moderator = await follow(room.owner, `chat/${room.at.stream_id}`);
    const [first, second] = [await room.hold(), await room.hold()];

    await decide(room.owner, room, first, "approve");
    await decide(room.owner, room, second, "deny");

    const log = await world.core.mongo.db
      .collection("moderation_actions")
      .find({ streamId: room.at.stream_id, targetId: room.author.id })
      .sort({ createdAt: 1, _id: 1 })
      .toArray();
    expect(log.map(({ action, actorId }) => [action, actorId])).deep.equal([
      ["held_approved", room.owner.id],
      ["held_denied", room.owner.id],
    ]);
    await moderator.next("mod.held_resolved");
    await moderator.next("mod.held_resolved");
    expect(moderator.ofType("mod.action")).deep.equal([]);
  });
});
