import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { type UserDoc, usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../../support/room-viewer.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("hosting", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const viewers: RoomViewer[] = [];
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });

  const host = ({ owner }: Channel, target: Channel) =>
    owner.api.call("hostChannel", { body: { target_user_id: target.owner.id } });
  // Signed in, since answers to anonymous readers are kept for a second.
  const hosting = ({ owner: { username, api } }: Channel) => api.call("getHosting", { params: { username } });
  const isNoLonger = async (channel: Channel) => (await hosting(channel)).status === 404;

  /** Events of hosting in a room, in their order. */
  async function eventsIn({ stream }: Channel): Promise<[type: string, data: unknown][]> {
    const events: [string, unknown][] = [];
    let isSubscribed = false;
    const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
      if (type === "subscribed") isSubscribed = true;
      if (type.startsWith("host.")) events.push([type, data]);
    };
    viewers.push(viewRoom({ http: world.baseUrl, streamId: stream.id, onMessage }));
    await eventually(() => isSubscribed, { what: "the room is subscribed to" });
    return events;
  }

  /** What a subscription to the room begins with. */
  async function stateIn({ stream }: Channel): Promise<unknown> {
    let state: unknown;
    const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
      if (type === "subscribed") state = Object(data).state;
    };
    viewers.push(viewRoom({ http: world.baseUrl, streamId: stream.id, onMessage }));
    await eventually(() => state !== undefined, { what: "the room is subscribed to" });
    return state;
  }

  async function end(...channels: Channel[]): Promise<void> {
    for (const { stream } of channels) await given.hook("publish_done", { key: stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    for (const { at } of channels) {
      await eventually(async () => !(await world.api.ok("getStream", { params: at })).is_live, {
        what: "the broadcast ends",
      });
    }
  }

  it("tells subscriptions of a room whom its channel hosts", async () => {
    const [one, live] = [await given.channel(), await given.liveChannel()];
    expect(await stateIn(one)).have.property("hosting", null);
    await host(one, live);
    expect(await stateIn(one)).nested.include({ "hosting.target_user.id": live.owner.id });
    expect(await stateIn(live)).have.property("hosting", null);
    await one.owner.api.ok("unhostChannel");
    expect(await stateIn(one)).have.property("hosting", null);
  });

  it("shows the target until it is ended, and both rooms get both events", async () => {
    const [one, live] = [await given.channel(), await given.liveChannel()];
    await world.api.ok("heartbeat", { body: { ...one.at, device_id: "tv" } });
    const avatar_url = "https://cdn.example.com/face.png";
    await live.owner.api.ok("updateMe", { body: { image_url: avatar_url } });
    const rooms = [await eventsIn(one), await eventsIn(live)];

    const { status, body } = await host(one, live);
    expect(status).equal(200);
    expect(body).deep.include({
      target_user: { id: live.owner.id, username: live.owner.username, avatar_url },
      is_auto_host: false,
      viewer_count: 1,
    });
    expect((await host(one, live)).body).deep.equal(body);
    expect((await hosting(one)).body).deep.equal(body);
    await one.owner.api.ok("unhostChannel");
    await one.owner.api.ok("unhostChannel");

    expect(await isNoLonger(one)).equal(true);
    const ended = { host_user_id: one.owner.id, target_user_id: live.owner.id };
    for (const events of rooms) {
      await eventually(() => events.length === 2, { what: "two events" });
      expect(events[0]?.[1]).nested.include({ "host_user.username": one.owner.username, viewer_count: 1 });
      expect(events[1]).deep.equal(["host.ended", ended]);
    }
  });

  it("is of one channel at a time: another one replaces it", async () => {
    const [one, first, second] = [
      await given.channel(),
      await given.liveChannel(),
      await given.liveChannel(),
    ];
    expect((await host(one, first)).body).include({ viewer_count: 0, is_auto_host: false });
    shows("default HostInfo.is_auto_host", "default HostInfo.viewer_count");
    const [atFirst, atSecond] = [await eventsIn(first), await eventsIn(second)];

    await host(one, second);

    expect((await hosting(one)).body).nested.include({ "target_user.id": second.owner.id });
    await eventually(() => atFirst.length === 1 && atSecond.length === 1, { what: "an event in each room" });
    expect([atFirst[0]?.[0], atSecond[0]?.[0]]).deep.equal(["host.ended", "host.started"]);
  });

  it("refuses oneself, nobody, a channel that is offline, and one behind a block", async () => {
    const [one, offline, blocked] = [await given.channel(), await given.channel(), await given.liveChannel()];
    await blocked.owner.api.ok("blockUser", { params: { user_id: one.owner.id } });
    const nobody = { ...offline, owner: { ...offline.owner, id: one.stream.id } };

    expect(await host(one, one)).include({ status: 400, code: "self_target" });
    expect(await host(one, nobody)).include({ status: 404, code: "not_found" });
    expect(await host(one, offline)).include({ status: 409, code: "target_offline" });
    expect(await host(one, blocked)).include({ status: 403, code: "blocked" });
    expect(await isNoLonger(one)).equal(true);
  });

  it("begins once, however often it is requested at once", async () => {
    const [one, live] = [await given.channel(), await given.liveChannel()];
    const events = await eventsIn(live);

    const answers = await Promise.all([1, 2, 3, 4].map(() => host(one, live)));

    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).equal(1);
    await one.owner.api.ok("unhostChannel");
    await eventually(() => events.length >= 2, { what: "its events" });
    expect(events.map(([type]) => type)).deep.equal(["host.started", "host.ended"]);
  });

  it("is refused to who may not write in the target's room", async () => {
    const [banned, quiet, live] = [await given.channel(), await given.channel(), await given.liveChannel()];
    const at = ({ owner }: Channel) => ({ params: { ...live.at, user_id: owner.id } });
    await live.owner.api.ok("banUser", { ...at(banned), body: {} });
    await live.owner.api.ok("timeoutUser", { ...at(quiet), body: { duration_seconds: 60 } });

    expect(await host(banned, live)).include({ status: 403, code: "banned" });
    const refusal = await host(quiet, live);
    expect(refusal).include({ status: 403, code: "timed_out" });
    expect(refusal.details.retry_after_ms).within(50_000, 60_000);
  });

  it("changes ten times a minute at most, since each change is an event in two rooms", async () => {
    const one = await given.channel();
    for (let n = 0; n < 10; n++) await one.owner.api.ok("unhostChannel");

    expect(await one.owner.api.call("unhostChannel")).include({ status: 429, code: "rate_limited" });
  });

  it("ends with a block between the two, also with one of the same moment", async () => {
    const [one, live] = [await given.channel(), await given.liveChannel()];
    const blocked = { params: { user_id: one.owner.id } };
    await host(one, live);
    const events = await eventsIn(live);

    await (await given.user()).api.ok("blockUser", blocked);
    expect((await hosting(one)).status, "a block of somebody else").equal(200);
    await live.owner.api.ok("blockUser", blocked);

    expect(await isNoLonger(one)).equal(true);
    await eventually(() => events.length === 1, { what: "the end, in the target's room" });
    for (let round = 0; round < 8; round++) {
      await live.owner.api.ok("unblockUser", blocked);
      await Promise.all([host(one, live), live.owner.api.ok("blockUser", blocked)]);
      expect(await isNoLonger(one), `round ${round}`).equal(true);
    }
  });

  it("ends in the moment in which its owner goes live", async () => {
    const [one, live] = [await given.channel(), await given.liveChannel()];
    await host(one, live);
    const events = await eventsIn(live);

    await given.goLive(one);

    expect(await isNoLonger(one)).equal(true);
    await eventually(() => events.length === 1, { what: "the other room's event" });
    expect(events[0]?.[0]).equal("host.ended");
  });

  it("ends when the target has been offline for ten minutes, and not when it comes back before", async () => {
    const [one, other] = [await given.channel(), await given.channel()];
    const [gone, back] = [await given.liveChannel(), await given.liveChannel()];
    await host(one, gone);
    await host(other, back);
    await end(gone, back);
    await world.core.hosting.sweep();
    world.clock.move(590_000);
    await world.core.hosting.sweep();
    expect([await isNoLonger(one), await isNoLonger(other)]).deep.equal([false, false]);
    expect((await host(one, gone)).status, "the same again").equal(200);
    await given.goLive(back, "2");
    await world.core.hosting.sweep();

    world.clock.move(10_000);
    await world.core.hosting.sweep();

    expect([await isNoLonger(one), await isNoLonger(other)]).deep.equal([true, false]);
  });

  it("begins by itself at the end of a broadcast: the first of the list that is live", async () => {
    const [one, offline, blocked, banned, live] = [
      await given.liveChannel(),
      await given.channel(),
      await given.liveChannel(),
      await given.liveChannel(),
      await given.liveChannel(),
    ];
    await blocked.owner.api.ok("blockUser", { params: { user_id: one.owner.id } });
    const at = { ...banned.at, user_id: one.owner.id };
    await banned.owner.api.ok("banUser", { params: at, body: {} });
    const user_ids = [offline, blocked, banned, live].map(({ owner }) => owner.id);
    const list = await one.owner.api.ok("setAutoHost", { body: { user_ids } });
    expect(list.user_ids).deep.equal(user_ids);
    expect(list.users.map(({ id }) => id)).deep.equal(user_ids);
    expect(await one.owner.api.ok("getAutoHost")).deep.equal(list);
    await world.core.hosting.sweep();
    expect(await isNoLonger(one)).equal(true);

    await end(one);
    await world.core.hosting.sweep();

    expect((await hosting(one)).body).deep.nested.include({
      "target_user.id": live.owner.id,
      is_auto_host: true,
    });
    await one.owner.api.ok("unhostChannel");
    await world.core.hosting.sweep();
    expect(await isNoLonger(one), "begins once a broadcast").equal(true);
  });

  it("doesn't begin by itself long after the end of the broadcast", async () => {
    const [one, live] = [await given.liveChannel(), await given.liveChannel()];
    await one.owner.api.ok("setAutoHost", { body: { user_ids: [live.owner.id] } });
    const { mongo, clock } = { mongo: world.core.mongo, clock: world.clock };
    await end(one);
    const autoDueAt = new Date(clock.now() - 300_001);
    await mongo.db
      .collection("hosting")
      .updateOne({ streamId: one.stream.id }, { $set: { hosted: null, autoDueAt } });

    await world.core.hosting.sweep();

    const left = await mongo.db.collection("hosting").findOne({ streamId: one.stream.id });
    expect(left).include({ hosted: null, autoDueAt: null });
  });

  for (const status of ["banned", "deleted"] as const) {
    const setStatus = (person: Person, to: UserDoc["status"]) =>
      usersCollection.in(world.core.mongo.db).updateOne({ _id: person.id }, { $set: { status: to } });

    it(`adds no ${status} account to the auto-host list, and keeps one that is listed`, async () => {
      const { owner } = await given.channel();
      const [listed, added, other] = [await given.user(), await given.user(), await given.user()];
      const put = (...user_ids: string[]) => owner.api.call("setAutoHost", { body: { user_ids } });
      await put(listed.id);
      for (const person of [listed, added]) await setStatus(person, status);

      expect((await put(listed.id, added.id)).code).equal("not_found");
      expect(await put(other.id, listed.id)).nested.include({ status: 200 });
      const { user_ids, users } = await owner.api.ok("getAutoHost");
      expect(user_ids).deep.equal([other.id, listed.id]);
      const named = status === "deleted" ? [other.id] : [other.id, listed.id];
      expect(users.map(({ id }) => id)).deep.equal(named);
      await put(other.id);
      expect((await put(listed.id)).code).equal("not_found");
    });

    it(`shows no hosting while the target's account is ${status}`, async () => {
      const [one, live] = [await given.channel(), await given.liveChannel()];
      await host(one, live);

      await setStatus(live.owner, status);

      expect((await hosting(one)).code).equal("not_found");
      await setStatus(live.owner, "active");
      expect((await hosting(one)).status).equal(200);
    });
  }

  it("takes lists of others that exist, each once", async () => {
    const { owner } = await given.channel();
    const other = await given.user();
    const put = (...user_ids: string[]) => owner.api.call("setAutoHost", { body: { user_ids } });

    expect(await put(owner.id)).include({ status: 400, code: "self_target" });
    expect(await put(other.id, other.id)).include({ status: 400, code: "validation_failed" });
    expect(await put(other.id, (await owner.api.ok("getMyStream")).id)).include({
      status: 404,
      code: "not_found",
    });
    expect(await owner.api.ok("getAutoHost")).deep.equal({ user_ids: [], users: [] });
  });
});
