import { expect } from "chai";
import { FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import type { Watched } from "../../../actors/points/ledger/viewing.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("what watching brings beside each five minutes", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const pointsOf = (person: Person, { owner }: Channel) =>
    person.api.ok("getPoints", { params: { user_id: owner.id } });
  const claim = (person: Person, { owner }: Channel, headers: Record<string, string> = {}) =>
    person.api.call("claimPoints", { params: { user_id: owner.id }, headers });
  const reasonsOf = async (person: Person, { owner }: Channel) =>
    (await person.api.ok("getPointsLedger", { params: { user_id: owner.id } })).items
      .map(({ reason, delta }) => `${reason} ${delta}`)
      .reverse();

  async function streamOf({ at }: Channel) {
    const stream = await world.core.streams.find(at.stream_id);
    if (!stream) throw new Error("a channel has a stream");
    return stream;
  }

  let windows = 0;
  /** A window of presence, as heartbeats complete one. */
  const watch = (person: Person, { owner, at }: Channel, more: Partial<Watched> = {}) =>
    world.core.points.earnPresence({
      userId: person.id,
      channelUserId: owner.id,
      streamId: at.stream_id,
      window: windows++,
      ...more,
    });

  it("is a bonus of 50 after fifteen minutes, once it is claimed, and one at a time", async () => {
    const [channel, viewer] = [await given.channel(), await given.user()];
    const { ticket } = await viewer.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/user?ticket=${ticket}`, undefined, {});
    await socket.next("subscribed");

    await watch(viewer, channel);
    await watch(viewer, channel);
    expect((await claim(viewer, channel)).code).equal("nothing_to_claim");
    await watch(viewer, channel);
    const waiting = await pointsOf(viewer, channel);
    expect(waiting).include({ balance: 30, claimable: 50 });
    const { channel: _, ...listed } = (await viewer.api.ok("listMyPoints")).items[0] ?? {};
    expect(listed).deep.equal(waiting);
    expect((await socket.next("points.bonus")).data).deep.equal({
      channel_user_id: channel.owner.id,
      claimable: 50,
    });
    for (let n = 0; n < 5; n++) await watch(viewer, channel);

    const claimed = await claim(viewer, channel);
    expect(claimed).deep.include({
      status: 200,
      body: { channel_user_id: channel.owner.id, balance: 130, lifetime_earned: 130, claimable: 0 },
    });
    await eventually(() => socket.ofType("points.bonus").length === 2);
    expect(socket.ofType("points.bonus")[1]?.data).include({ claimable: 0 });
    expect((await claim(viewer, channel)).code).equal("nothing_to_claim");
    for (let n = 0; n < 3; n++) await watch(viewer, channel);
    expect(await pointsOf(viewer, channel)).include({ balance: 160, claimable: 50 });
    socket.terminate();
  });

  it("is claimed once, by parallel requests and by one repeated with its key", async () => {
    const [channel, viewer] = [await given.channel(), await given.user()];
    for (let n = 0; n < 3; n++) await watch(viewer, channel);
    const headers = { "idempotency-key": "mine" };

    const answers = await Promise.all([
      claim(viewer, channel),
      claim(viewer, channel),
      claim(viewer, channel),
    ]);
    expect(answers.map(({ status }) => status).sort()).deep.equal([200, 409, 409]);
    for (let n = 0; n < 3; n++) await watch(viewer, channel);
    const first = await claim(viewer, channel, headers);
    for (let n = 0; n < 3; n++) await watch(viewer, channel);
    const again = await claim(viewer, channel, headers);

    expect(again.body).deep.equal(first.body);
    expect(await pointsOf(viewer, channel)).include({ balance: 190, claimable: 50 });
    const other = await given.channel();
    expect((await claim(viewer, other, headers)).code).equal("idempotency_conflict");
  });

  it("is more for subscribers, by tier and rounded down", async () => {
    const [channel, viewer] = [await given.channel(), await given.user()];
    for (const tier of [null, 1, 2, 3] as const) await watch(viewer, channel, { tier });
    expect(await reasonsOf(viewer, channel)).deep.equal([
      "presence 10",
      "presence 12",
      "presence 14",
      "presence 20",
    ]);
  });

  it("is more for who has paid for a subscription, at the heartbeat that ends five minutes", async () => {
    const [channel, viewer, other] = [await given.liveChannel(), await given.user(), await given.user()];
    const body = { channel_user_id: channel.owner.id, tier: 1 };
    const { checkout_url } = await viewer.api.ok("createSubscriptionCheckout", { body });
    await givenBilling(world).press(checkout_url, "pay");
    // Seven heartbeats at least are more than REST takes in a minute of real time: it gets the one that counts.
    for (let n = 0; n < 10; n++) {
      for (const { id: userId } of [viewer, other])
        await world.core.presence.heartbeat({ streamId: channel.at.stream_id, viewer: { userId } });
      world.clock.move(MINUTE_MS / 2);
    }
    for (const person of [viewer, other]) await person.api.ok("heartbeat", { body: channel.at });

    await eventually(async () => {
      expect(await reasonsOf(viewer, channel)).deep.equal(["presence 12"]);
      expect(await reasonsOf(other, channel)).deep.equal(["presence 10"]);
    });
  });

  it("is 300, 350, 400 and 450 for broadcasts in a row, and begins anew after one that was missed", async () => {
    const [channel, viewer] = [await given.channel(), await given.user()];

    async function broadcast(watchedAfterMs: number | null, lastsMs = 30 * MINUTE_MS): Promise<void> {
      await given.hook("publish", { key: channel.stream.stream_key });
      world.clock.move(FIRST_PICTURE_MS);
      await eventually(async () => (await streamOf(channel)).isLive);
      const { sessionId, liveSince } = await streamOf(channel);
      if (!sessionId || !liveSince) throw new Error("it is live");
      if (watchedAfterMs !== null) {
        world.clock.move(watchedAfterMs);
        const seen = { broadcast: { id: sessionId, liveSince } };
        for (let n = 0; n < 2; n++) await watch(viewer, channel, seen);
      }
      world.clock.move(lastsMs - (watchedAfterMs ?? 0));
      await given.hook("publish_done", { key: channel.stream.stream_key });
      world.clock.move(2 * MINUTE_MS);
      await eventually(async () => !(await streamOf(channel)).isLive);
    }
    const streaks = async () => (await ledger()).filter((one) => one.startsWith("streak"));
    const ledger = async () => {
      const { items } = await world.core.points.ledger(viewer.id, channel.owner.id, { skip: 0, limit: 100 });
      return items.map(({ reason, delta }) => `${reason} ${delta}`).reverse();
    };

    for (let n = 0; n < 3; n++) await broadcast(10 * MINUTE_MS);
    expect(await streaks()).deep.equal(["streak 300", "streak 350"]);
    // Too short to count, watched or not; and too early in one that counts.
    await broadcast(5 * MINUTE_MS, 7 * MINUTE_MS);
    await broadcast(null, 7 * MINUTE_MS);
    for (let n = 0; n < 3; n++) await broadcast(10 * MINUTE_MS);
    const long = ["streak 300", "streak 350", "streak 400", "streak 450", "streak 450"];
    expect(await streaks()).deep.equal(long);
    await broadcast(9 * MINUTE_MS);
    await broadcast(10 * MINUTE_MS);
    expect(await streaks()).deep.equal(long);
    await broadcast(10 * MINUTE_MS);
    expect(await streaks()).deep.equal([...long, "streak 300"]);
  });

  it("counts for the broadcast that was watched, also when it is paid during the next one", async () => {
    const [channel, viewer] = [await given.liveChannel(), await given.user()];
    const { sessionId: watched } = await streamOf(channel);
    const { stream_id: streamId } = channel.at;
    /** Heartbeats that nothing is paid with, as while there is no MongoDB. */
    async function unpaid(minutes: number): Promise<void> {
      for (let n = 0; n < 2 * minutes; n++) {
        world.clock.move(MINUTE_MS / 2);
        await world.core.presence.heartbeat({ streamId, viewer: { userId: viewer.id } });
      }
    }
    const viewings = world.core.mongo.db.collection<{ _id: string }>("viewings");
    // Begins in the middle of a window: one is completed in this broadcast, and none in the last ten minutes of the next one.
    const window = 5 * MINUTE_MS;
    world.clock.move(2 * window - (world.clock.now() % window) + window / 2);
    await unpaid(7);
    await given.hook("publish_done", { key: channel.stream.stream_key });
    await unpaid(2);
    await eventually(async () => !(await streamOf(channel)).isLive);
    await given.hook("publish", { key: channel.stream.stream_key, clientId: "2" });
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await streamOf(channel)).isLive);
    expect((await streamOf(channel)).sessionId).not.equal(watched);
    await unpaid(11);

    const back = await given.signedInAgain(viewer);
    await back.api.ok("heartbeat", { body: channel.at });

    await eventually(async () => {
      const seen = await viewings.findOne({ _id: `${viewer.id}:${channel.owner.id}` });
      expect(seen).deep.include({ windows: 1, broadcastId: watched, streak: 1 });
    });
  });
});
