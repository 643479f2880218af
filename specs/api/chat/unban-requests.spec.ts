// @waits: for timers of requests, and for notifications.
import { expect } from "chai";
import {
  UNBAN_REQUEST_COOLDOWN_MS,
  UNBAN_REQUEST_EXPIRY_MS,
} from "../../../actors/chat/unban-request/machine.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import type { ModerationActionDoc } from "../../../store/mongo/chat/moderation-actions.ts";
import { defaultChatModes } from "../../../store/mongo/host/chat-modes.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const MESSAGE = "I won't do it again.";

describe("unban requests", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  type Room = Channel & { user: Person };

  const ban = ({ owner, at, user }: Room) =>
    owner.api.ok("banUser", { params: { ...at, user_id: user.id }, body: { reason: "Insults" } });

  async function roomWithBan(): Promise<Room> {
    const room = { ...(await given.channel()), user: await given.user() };
    await ban(room);
    return room;
  }

  const request = ({ at, user }: Room) =>
    user.api.call("createUnbanRequest", { params: at, body: { message: MESSAGE } });

  async function requested(room: Room) {
    return room.user.api.ok("createUnbanRequest", { params: room.at, body: { message: MESSAGE } });
  }

  const decide = (by: Person, { at }: Room, id: string, what: "approve" | "deny", note = "Be kind") =>
    by.api.call(what === "approve" ? "approveUnbanRequest" : "denyUnbanRequest", {
      params: { ...at, unban_request_id: id },
      body: { note },
    });

  const own = async ({ user, at }: Room) =>
    (await user.api.ok("listMyUnbanRequests", { query: at })).items[0];

  const isBanned = async ({ user, at }: Room) =>
    (await user.api.ok("getChatRoom", { params: at })).restriction?.type === "ban";

  const acts = ({ at, user }: Room) =>
    world.core.mongo.db
      .collection<ModerationActionDoc>("moderation_actions")
      .find({ streamId: at.stream_id, targetId: user.id })
      .sort({ _id: 1 })
      .toArray();

  async function follow(person: Person, path: string): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/${path}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("show moderators the message with the ban, and tell them of a new one", async () => {
    const room = await roomWithBan();
    const moderator = await follow(room.owner, `chat/${room.at.stream_id}`);

    const { id } = await requested(room);

    const { items } = await room.owner.api.ok("listUnbanRequests", {
      params: room.at,
      query: { status: "pending" },
    });
    expect(items.map((one) => one.id)).deep.equal([id]);
    expect(items[0]).include({ message: MESSAGE, status: "pending", resolved_by: null });
    expect(items[0]?.user.id).equal(room.user.id);
    expect(items[0]?.ban).include({ reason: "Insults" });
    expect(items[0]?.ban?.by.id).equal(room.owner.id);
    expect((await moderator.next("mod.unban_request")).data).deep.equal(items[0]);
    expect(moderator.problems).deep.equal([]);
  });

  it("lift the ban in the commit that approves them, with its log entry", async () => {
    const room = await roomWithBan();
    const other = await given.moderatorOf(room);
    const [user, moderator] = [
      await follow(room.user, "user"),
      await follow(room.owner, `chat/${room.at.stream_id}`),
    ];
    const { id } = await requested(room);

    const { body } = await decide(other, room, id, "approve");

    expect(body).include({ id, status: "approved", note: "Be kind", ban: null });
    expect(Object(body).resolved_by.id).equal(other.id);
    expect(await isBanned(room)).equal(false);
    await eventually(async () => {
      const sent = await room.user.api.call("sendChatMessage", {
        params: room.at,
        body: { content: "Hello" },
      });
      expect(sent.status).equal(201);
    });
    expect((await acts(room)).map(({ action, actorId }) => [action, actorId])).deep.equal([
      ["ban", room.owner.id],
      ["unban", other.id],
    ]);
    const { data: resolved } = await moderator.next("mod.unban_request_resolved");
    expect(resolved).deep.include({ id, status: "approved" });
    const action = await moderator.next("mod.action");
    expect(action.data).include({ action: "unban" });
    await eventually(() =>
      expect(user.ofType("unban_request.updated").map(({ data }) => Object(data).status)).deep.equal([
        "pending",
        "approved",
      ]),
    );
    // Who decided is the channel's business.
    expect(JSON.stringify(user.messages)).not.include(other.id);
    await eventually(async () => {
      const [notified] = (await room.user.api.ok("listNotifications")).items;
      expect(notified).deep.include({ kind: "unban_request", type: "unban_request" });
      expect(notified?.about).deep.include({ is_approved: true, channel_name: room.owner.username });
    });
  });

  it("are decided once when two moderators decide at the same time", async () => {
    const room = await roomWithBan();
    const other = await given.moderatorOf(room);
    for (let round = 0; round < 3; round++) {
      const { id } = await requested(room);

      const answers = await Promise.all([
        decide(room.owner, room, id, "approve"),
        decide(other, room, id, "deny"),
        decide(other, room, id, "approve"),
        decide(room.owner, room, id, "deny"),
      ]);

      expect(answers.map(({ status }) => status).sort()).deep.equal([200, 409, 409, 409]);
      const status = (await own(room))?.status;
      for (const { code, details } of answers.filter((one) => one.status === 409))
        expect({ code, details }).deep.equal({ code: "invalid_state", details: { status } });
      expect(await isBanned(room)).equal(status === "denied");
      world.clock.move(UNBAN_REQUEST_COOLDOWN_MS);
      room.user = await given.signedInAgain(room.user);
      room.owner = await given.signedInAgain(room.owner);
      Object.assign(other, await given.signedInAgain(other));
      await ban(room);
    }
  });

  it("let a user ask once at a time, and again a day after a denial", async () => {
    const room = await roomWithBan();
    const { id } = await requested(room);
    expect((await request(room)).code).equal("unban_request_pending");
    expect((await decide(room.owner, room, id, "deny")).status).equal(200);

    const refused = await request(room);
    expect(refused.code).equal("unban_request_denied");
    expect(refused.details.retry_after_ms).within(
      UNBAN_REQUEST_COOLDOWN_MS - 60_000,
      UNBAN_REQUEST_COOLDOWN_MS,
    );
    const denied = await own(room);
    expect(denied).include({ status: "denied", note: "Be kind" });
    expect(Date.parse(denied?.retry_at ?? "")).equal(
      Date.parse(denied?.resolved_at ?? "") + UNBAN_REQUEST_COOLDOWN_MS,
    );
    expect(await isBanned(room)).equal(true);
    expect((await acts(room)).map(({ action }) => action)).deep.equal(["ban", "unban_request_denied"]);

    world.clock.move(UNBAN_REQUEST_COOLDOWN_MS);
    room.user = await given.signedInAgain(room.user);
    expect((await request(room)).status).equal(201);
  });

  it("give the same request for the same Idempotency-Key", async () => {
    const { at, user } = await roomWithBan();
    const ask = () =>
      user.api.ok("createUnbanRequest", {
        params: at,
        body: { message: MESSAGE },
        headers: { "idempotency-key": "once" },
      });

    const [first, second] = await Promise.all([ask(), ask()]);

    expect(second).deep.equal(first);
  });

  it("are refused without a ban, and where the channel doesn't take them", async () => {
    const room = await roomWithBan();
    const { owner, at } = room;
    const stranger = await given.user();
    expect((await request({ ...room, user: stranger })).code).equal("not_banned");
    await owner.api.ok("timeoutUser", {
      params: { ...at, user_id: stranger.id },
      body: { duration_seconds: 600 },
    });
    expect((await request({ ...room, user: stranger })).code).equal("not_banned");

    await owner.api.ok("updateChatSettings", { params: at, body: { unban_requests: false } });

    expect((await owner.api.ok("getChatRoom", { params: at })).unban_requests).equal(false);
    expect((await request(room)).code).equal("unban_requests_disabled");
    // A worker of an older release writes the modes that it knows.
    await streamsCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: at.stream_id }, { $set: { modes: defaultChatModes } });
    expect((await owner.api.ok("getChatRoom", { params: at })).unban_requests).equal(false);
    await owner.api.ok("updateChatSettings", { params: at, body: { unban_requests: true } });
    expect((await request(room)).status).equal(201);
  });

  it("expire after 14 days", async () => {
    const room = await roomWithBan();
    const { id } = await requested(room);
    world.clock.move(UNBAN_REQUEST_EXPIRY_MS - HOUR_MS);
    room.user = await given.signedInAgain(room.user);
    expect((await own(room))?.status).equal("pending");

    world.clock.move(HOUR_MS);
    room.user = await given.signedInAgain(room.user);

    await eventually(async () => expect((await own(room))?.status).equal("expired"));
    room.owner = await given.signedInAgain(room.owner);
    const late = await decide(room.owner, room, id, "approve");
    expect(late).include({ code: "invalid_state" });
    expect(await isBanned(room)).equal(true);
    expect((await request(room)).status).equal(201);
  });

  it("expire when the ban is lifted in another way", async () => {
    const room = await roomWithBan();
    const { id } = await requested(room);
    const moderator = await follow(room.owner, `chat/${room.at.stream_id}`);

    await room.owner.api.ok("unbanUser", { params: { ...room.at, user_id: room.user.id } });

    const { data } = await moderator.next("mod.unban_request_resolved");
    expect(data).deep.equal({ id, status: "expired", by: null });
    expect((await own(room))?.status).equal("expired");
  });

  it("deny nobody who isn't banned any more, even before the request has ended", async () => {
    const room = await roomWithBan();
    const { id } = await requested(room);
    // As whoever lifts it leaves it, before the request's actor has heard of it.
    await world.core.mongo.db
      .collection("chat_bans")
      .deleteOne({ streamId: room.at.stream_id, userId: room.user.id });

    for (const what of ["deny", "approve"] as const)
      expect((await decide(room.owner, room, id, what)).code).equal("not_banned");
    expect((await own(room))?.status).equal("pending");
  });

  it("never leave a pending one behind when the ban is lifted while it is made", async () => {
    const room = await roomWithBan();
    for (let round = 0; round < 8; round++) {
      const lift = () => room.owner.api.call("unbanUser", { params: { ...room.at, user_id: room.user.id } });
      const [asked] = await Promise.all([request(room), lift()]);
      expect(["not_banned", null]).include(asked.code);
      await eventually(async () => expect((await own(room))?.status).not.equal("pending"));
      expect(await isBanned(room)).equal(false);
      await ban(room);
    }
  });

  it("show their history to the owner, and to the user without who decided", async () => {
    const room = await roomWithBan();
    const other = await given.moderatorOf(room);
    const { id } = await requested(room);
    await decide(other, room, id, "deny");
    const params = { ...room.at, unban_request_id: id };

    const changes = async ({ api }: Person) =>
      (await api.ok("getUnbanRequestHistory", { params })).items.map(({ to, by }) => [to, by]);

    expect(await changes(room.owner)).deep.equal([
      ["pending", room.user.id],
      ["denied", other.id],
    ]);
    expect(await changes(room.user)).deep.equal([
      ["pending", room.user.id],
      ["denied", null],
    ]);
    expect((await other.api.call("getUnbanRequestHistory", { params })).code).equal("forbidden");
  });
});
