import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../support/room-viewer.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Raid = Success<"createRaid">;

describe("a raid", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const viewers: RoomViewer[] = [];
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });

  const begin = ({ owner }: Channel, target: Channel, more: { message?: string } = {}) =>
    owner.api.call("createRaid", { body: { target_user_id: target.owner.id, ...more } });
  const begun = ({ owner }: Channel, target: Channel): Promise<Raid> =>
    owner.api.ok("createRaid", { body: { target_user_id: target.owner.id } });
  const at = ({ id }: Raid) => ({ params: { raid_id: id } });
  const twoLive = () => Promise.all([given.liveChannel(), given.liveChannel()]);

  async function statusIs({ owner }: Channel, { id }: Raid, status: Raid["status"]): Promise<Raid> {
    return eventually(async () => {
      const { items } = await owner.api.ok("listMyRaids");
      const raid = items.find((one) => one.id === id);
      if (raid?.status !== status) throw new Error(`the raid is ${raid?.status}, not yet ${status}`);
      return raid;
    });
  }

  /** From state to state, as in the history. */
  async function changesOf({ owner }: Channel, raid: Raid): Promise<string[]> {
    const { items } = await owner.api.ok("getRaidHistory", at(raid));
    const changes = items.filter(({ from, to }) => from !== to);
    return changes.map(({ from, to }) => `${from ?? "none"} → ${to}`);
  }

  /** Events of raids in a room, in their order. */
  async function eventsIn({ stream }: Channel): Promise<[type: string, data: unknown][]> {
    const events: [string, unknown][] = [];
    let isSubscribed = false;
    const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
      if (type === "subscribed") isSubscribed = true;
      if (type.startsWith("raid.")) events.push([type, data]);
    };
    viewers.push(viewRoom({ http: world.baseUrl, streamId: stream.id, onMessage }));
    await eventually(() => isSubscribed, { what: "the room is subscribed to" });
    return events;
  }

  const typesOf = (events: [string, unknown][]) => events.map(([type]) => type);

  /** The message of the raid that a subscription begins with. */
  async function subscribedTo({ stream }: Channel): Promise<string | undefined> {
    const { raids } = await world.core.raids.roomState(stream.id);
    const [news, ...others] = raids;
    expect(others).lengthOf(0);
    return news?.raid.message;
  }

  async function goOffline({ stream, at }: Channel): Promise<void> {
    await given.hook("publish_done", { key: stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(async () => !(await world.api.ok("getStream", { params: at })).is_live, {
      what: "the broadcast ends",
    });
  }

  it("goes when its owner starts it, not within ten seconds, and is completed a minute later", async () => {
    const [source, target] = await twoLive();
    const [here, there] = [await eventsIn(source), await eventsIn(target)];
    const { status, body } = await begin(source, target, { message: "Be kind!" });
    expect(status).equal(201);
    expect(body).include({ status: "pending", message: "Be kind!", viewer_count: 0 });
    const raid = await source.owner.api.ok("getCurrentRaid");
    expect(raid).deep.equal(body);

    expect(await source.owner.api.call("startRaid", at(raid))).include({
      status: 409,
      code: "invalid_state",
    });
    world.clock.move(10_000);
    const active = await source.owner.api.ok("startRaid", at(raid));
    expect(active).include({ status: "active" }).and.have.property("started_at");
    expect(await source.owner.api.call("cancelRaid", at(raid))).include({ code: "invalid_state" });
    expect(await begin(source, target)).include({ status: 409, code: "raid_in_progress" });
    world.clock.move(RAID_ARRIVAL_MS);

    const over = await statusIs(source, raid, "completed");
    expect(over).include({ viewer_count: 0 }).and.have.property("completed_at");
    expect(over).nested.include({
      "source_user.username": source.owner.username,
      "target_user.username": target.owner.username,
    });
    await eventually(() => here.length === 2 && there.length === 2, { what: "the events" });
    expect([typesOf(here), typesOf(there)]).deep.equal([
      ["raid.pending", "raid.go"],
      ["raid.pending", "raid.incoming"],
    ]);
    expect(there[1]?.[1]).nested.include({
      "source_user.username": source.owner.username,
      "raid.id": raid.id,
    });
    expect((await source.owner.api.call("getCurrentRaid")).code).equal("not_found");
    expect(await changesOf(source, raid)).deep.equal([
      "none → pending",
      "pending → active",
      "active → completed",
    ]);
  });

  it("goes by itself after 90 s", async () => {
    const [source, target] = await twoLive();
    const raid = await begun(source, target);

    world.clock.move(RAID_COUNTDOWN_MS);

    await statusIs(target, raid, "active");
    const { items } = await source.owner.api.ok("getRaidHistory", at(raid));
    expect(items.map(({ event, from, to, detail }) => [event, from, to, detail])).deep.equal([
      ["create", null, "pending", "held"],
      ["timer", "pending", "pending", "ready"],
      ["countdownOver", "pending", "active", "arriving"],
    ]);
  });

  it("is cancelled by a moderator, and another one may begin", async () => {
    const [source, target] = await twoLive();
    const moderator = await given.moderatorOf(source);
    const there = await eventsIn(target);
    const raid = await moderator.api.ok("createRaid", {
      body: { source_user_id: source.owner.id, target_user_id: target.owner.id },
    });

    expect(await moderator.api.ok("cancelRaid", at(raid))).include({ id: raid.id, status: "cancelled" });
    expect(await changesOf(source, raid)).deep.equal(["none → pending", "pending → cancelled"]);

    expect(await begin(source, target)).include({ status: 201 });
    await eventually(() => there.length === 3, { what: "the events" });
    expect(typesOf(there)).deep.equal(["raid.pending", "raid.cancelled", "raid.pending"]);
  });

  it("is refused to oneself, for others' channels, nobody, and channels that aren't live", async () => {
    const [source, target] = await twoLive();
    const offline = await given.channel();
    const nobody = { target_user_id: source.stream.id };

    expect(await begin(source, source)).include({ status: 400, code: "self_target" });
    expect(await begin(source, offline)).include({ status: 409, code: "target_offline" });
    expect(await begin(offline, target)).include({ status: 409, code: "stream_offline" });
    expect(await source.owner.api.call("createRaid", { body: nobody })).include({ code: "not_found" });
    const foreign = { source_user_id: source.owner.id, target_user_id: target.owner.id };
    expect(await target.owner.api.call("createRaid", { body: foreign })).include({ code: "forbidden" });
  });

  it("is refused by the target's settings, its bans, and blocks either way", async () => {
    const target = await given.liveChannel();
    const refused = async (source: Channel) =>
      expect(await begin(source, target)).include({ status: 403, code: "raid_not_accepted" });
    const accepted = async (source: Channel) => {
      const { body, status } = await begin(source, target);
      expect(status).equal(201);
      await source.owner.api.ok("cancelRaid", { params: { raid_id: Object(body).id } });
    };
    const settings = (body: object) => target.owner.api.ok("setRaidSettings", { body });
    const [one, two] = await twoLive();

    await settings({ accept_from: "nobody" });
    await refused(one);
    await settings({ accept_from: "followed" });
    await refused(one);
    await target.owner.api.ok("followUser", { params: { user_id: one.owner.id } });
    await accepted(one);
    await settings({ min_follow: 10 });
    await refused(one);
    await one.owner.api.ok("followUser", { params: { user_id: target.owner.id } });
    await refused(one);
    world.clock.move(600_000);
    const later = { ...one, owner: await given.signedInAgain(one.owner) };
    await accepted(later);
    const { blocked_users } = await settings({ blocked_user_ids: [one.owner.id] });
    expect(blocked_users.map(({ username }) => username)).deep.equal([one.owner.username]);
    await refused(later);
    await settings({});
    await target.owner.api.ok("banUser", { params: { ...target.at, user_id: one.owner.id }, body: {} });
    await refused(later);
    await two.owner.api.ok("blockUser", { params: { user_id: target.owner.id } });
    await refused(two);
    expect(await target.owner.api.ok("getRaidSettings")).deep.equal({
      accept_from: "everyone",
      min_follow: null,
      blocked_user_ids: [],
      host_after: false,
      shield_on_arrival: false,
      blocked_users: [],
    });
  });

  it("is cancelled when its target goes offline, and not when its source does", async () => {
    const [source, target] = await twoLive();
    const other = await given.liveChannel();
    const [first, second] = [await begun(source, target), await begun(other, target)];
    const there = await eventsIn(source);
    await given.hook("publish_done", { key: target.stream.stream_key });
    world.clock.move(80_000);
    await source.owner.api.ok("cancelRaid", at(first));
    // Begun while the target is in its grace: it is live, and ends before the countdown does.
    const third = await begun(source, target);

    world.clock.move(10_000);

    expect(await statusIs(source, third, "cancelled")).include({ status: "cancelled" });
    // Its own countdown was over at the same moment as the target's grace; either may come first.
    await eventually(async () => (await world.core.raids.require(second.id)).status !== "pending");
    await eventually(() => typesOf(there).at(-1) === "raid.cancelled", { what: "the room is notified" });

    const [goes, stays] = await twoLive();
    const fourth = await begun(goes, stays);
    await goOffline(goes);
    await statusIs(stays, fourth, "active");
  });

  it("is begun and cancelled ten times in ten minutes at most, by whomever of the channel", async () => {
    const [source, target] = await twoLive();
    const moderator = await given.moderatorOf(source);
    const body = { target_user_id: target.owner.id, source_user_id: source.owner.id };
    for (const by of [source.owner, moderator, source.owner, moderator, source.owner])
      await by.api.ok("cancelRaid", at(await by.api.ok("createRaid", { body })));

    for (const by of [source.owner, moderator]) {
      const refusal = await by.api.call("createRaid", { body });
      expect(refusal).include({ status: 429, code: "rate_limited" });
      expect(refusal.details).include({ bucket: "channel_raids", limit: 10, window_seconds: 600 });
      expect(refusal.details?.retry_after_ms).within(1, 600_000);
    }
    world.clock.move(600_000);
    expect(await begin({ ...source, owner: await given.signedInAgain(source.owner) }, target)).include({
      status: 201,
    });
  });

  it("is requested ten times in ten minutes by one user at most", async () => {
    const [source, target] = await twoLive();
    const stranger = { ...source, owner: await given.user() };
    for (let n = 0; n < 10; n++) expect((await begin(stranger, target)).code).equal("stream_offline");

    const refusal = await begin(stranger, target);
    expect(refusal).include({ status: 429, code: "rate_limited" });
    expect(refusal.details).include({ bucket: "raids" });
  });

  it("has its message read in the target's room once it goes, and not before", async () => {
    const [source, target] = await twoLive();
    const [here, there] = [await eventsIn(source), await eventsIn(target)];
    const create = async (message: string): Promise<Raid> =>
      source.owner.api.ok("createRaid", { body: { target_user_id: target.owner.id, message } });
    await source.owner.api.ok("cancelRaid", at(await create("one")));
    const raid = await create("two");
    const [hereLater, thereLater] = [await subscribedTo(source), await subscribedTo(target)];
    world.clock.move(10_000);
    await source.owner.api.ok("startRaid", at(raid));

    await eventually(() => here.length === 4 && there.length === 4, { what: "the events" });
    const messages = (events: [string, unknown][]) =>
      events.map(([type, data]) => [type, Object(data).raid.message]);
    expect(messages(here)).deep.equal([
      ["raid.pending", "one"],
      ["raid.cancelled", "one"],
      ["raid.pending", "two"],
      ["raid.go", "two"],
    ]);
    expect(messages(there)).deep.equal([
      ["raid.pending", undefined],
      ["raid.cancelled", undefined],
      ["raid.pending", undefined],
      ["raid.incoming", "two"],
    ]);
    expect([hereLater, thereLater]).deep.equal(["two", undefined]);
    expect(await subscribedTo(target)).equal("two");
  });

  it("is refused where the moderator who begins it is banned or blocked", async () => {
    const [source, target] = await twoLive();
    const body = { target_user_id: target.owner.id, source_user_id: source.owner.id };
    const them = await Promise.all([1, 2, 3, 4].map(() => given.moderatorOf(source)));
    const [banned, blocked, unwanted, other] = them.map(({ id }) => id);
    await target.owner.api.ok("banUser", { params: { ...target.at, user_id: banned ?? "" }, body: {} });
    await target.owner.api.ok("blockUser", { params: { user_id: blocked ?? "" } });
    await target.owner.api.ok("setRaidSettings", { body: { blocked_user_ids: [unwanted ?? ""] } });

    for (const { id, api } of them) {
      const { code } = await api.call("createRaid", { body });
      expect(code).equal(id === other ? null : "raid_not_accepted");
    }
  });

  it("doesn't go to a target that doesn't take it any more", async () => {
    const target = await given.liveChannel();
    const moderator = await given.moderatorOf(target);
    const [one, two, three, four] = [...(await twoLive()), ...(await twoLive())];
    const there = await eventsIn(target);
    const [first, second, third] = [
      await begun(one, target),
      await begun(two, target),
      await begun(three, target),
    ];
    const ban = ({ owner }: Channel) =>
      moderator.api.ok("banUser", { params: { ...target.at, user_id: owner.id }, body: {} });
    await ban(one);
    await ban(two);
    expect(await one.owner.api.call("startRaid", at(first))).include({ code: "invalid_state" });
    world.clock.move(10_000);

    expect(await one.owner.api.call("startRaid", at(first))).include({
      status: 403,
      code: "raid_not_accepted",
    });
    await statusIs(one, first, "cancelled");
    world.clock.move(80_000);
    await statusIs(two, second, "cancelled");
    await statusIs(three, third, "active");
    const fourth = await begun(four, target);
    await target.owner.api.ok("setRaidSettings", { body: { accept_from: "nobody" } });
    world.clock.move(RAID_COUNTDOWN_MS);
    await statusIs(four, fourth, "cancelled");
    await eventually(() => there.length === 8, { what: "the events" });
    const ended = typesOf(there).filter((type) => type !== "raid.pending");
    expect(ended.sort()).deep.equal(["raid.cancelled", "raid.cancelled", "raid.cancelled", "raid.incoming"]);
  });

  it("raises shield mode in the target's room, and is hosted after it, where the owners want that", async () => {
    const [source, target] = await twoLive();
    await source.owner.api.ok("setRaidSettings", { body: { host_after: true } });
    await target.owner.api.ok("setRaidSettings", { body: { shield_on_arrival: true } });
    const shield = async () => (await target.owner.api.ok("getChatModes", { params: target.at })).shield_mode;
    const empty = await begun(source, target);
    world.clock.move(RAID_COUNTDOWN_MS);
    await statusIs(source, empty, "active");
    world.clock.move(RAID_ARRIVAL_MS);
    await statusIs(source, empty, "completed");
    expect(await shield()).equal(false);

    const raid = await begun(source, target);
    await raidMembersIn(world.core.mongo.db).came(raid.id, [target.owner.id], "worker", new Date());
    world.clock.move(RAID_COUNTDOWN_MS);
    await statusIs(source, raid, "active");

    expect(await shield()).equal(true);
    const acts = await world.core.mongo.db
      .collection("moderation_actions")
      .find({ streamId: target.stream.id })
      .toArray();
    expect(acts.map(({ action, actorId }) => [action, actorId])).deep.equal([["shield_on", target.owner.id]]);
    world.clock.move(RAID_ARRIVAL_MS);
    await statusIs(source, raid, "completed");

    const hosting = await source.owner.api.ok("getHosting", { params: { username: source.owner.username } });
    expect(hosting).deep.include({ is_auto_host: true });
    expect(hosting.target_user.id).equal(target.owner.id);
  });
});
