import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { CreatorAnalytics } from "../../../../contract/wire.ts";
import { settle } from "../../../actors/discovery/analytics/open-analytics.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("the figures of a creator", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let billing: ReturnType<typeof givenBilling>;
  before(async () => {
    billing = givenBilling(world);
  });

  const figuresOf = ({ api }: Person, period: CreatorAnalytics["period"]) =>
    api.ok("getCreatorAnalytics", { query: { period } });
  const unfollow = (viewer: Person, { owner }: Channel) =>
    viewer.api.ok("unfollowUser", { params: { user_id: owner.id } });

  async function subscribe(fan: Person, { owner }: Channel, tier: 1 | 2 | 3): Promise<string> {
    const body = { channel_user_id: owner.id, tier };
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", { body });
    await billing.press(checkout_url, "pay");
    const [paid] = (await fan.api.ok("listMySubscriptions")).items;
    return paid?.id ?? "";
  }

  async function tip(fan: Person, { owner }: Channel, amount_cents: number): Promise<string> {
    const body = { to_user_id: owner.id, amount_cents, currency: "USD" };
    const { checkout_url } = await fan.api.ok("createTipCheckout", { body });
    await billing.press(checkout_url, "pay");
    const [paid] = (await owner.api.ok("listMyTips")).items;
    return paid?.id ?? "";
  }

  async function redeem(viewer: Person, reward_id: string): Promise<string> {
    return (await viewer.api.ok("redeemReward", { params: { reward_id }, body: {} })).id;
  }

  it("are zero before there is anything", async () => {
    const { owner } = await given.channel();
    const figures = await owner.api.ok("getCreatorAnalytics");

    expect(figures).deep.include({
      period: "30d",
      revenue: {
        subscription_cents: 0,
        tip_cents: 0,
        total_cents: 0,
        by_tier: [1, 2, 3].map((tier) => ({ tier, active_count: 0, revenue_cents: 0 })),
      },
      subscriptions: { active: 0, new_in_period: 0, cancelled_in_period: 0, churn_rate: 0 },
      points: { earned: 0, spent: 0, top_redemptions: [] },
      follows: { gained: 0, lost: 0, net: 0 },
      videos: { total_views: 0, count: 0 },
    });
    expect(figures.viewership).include({ peak_viewers: 0, unique_viewers: 0, watch_time_minutes: 0 });
  });

  it("are the caller's own, of a signed-in user, for the three periods", async () => {
    const { owner } = await given.channel();
    expect((await world.api.call("getCreatorAnalytics")).code).equal("auth_required");
    for (const period of ["7d", "30d", "90d"] as const)
      expect((await figuresOf(owner, period)).period).equal(period);
    const query = { period: "1d" };
    expect((await owner.api.call("getCreatorAnalytics", { query })).code).equal("validation_failed");
  });

  it("count revenue by active subscriptions and paid tips", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const [first, second, third] = [await given.user(), await given.user(), await given.user()];
    await subscribe(first, channel, 1);
    await subscribe(second, channel, 3);
    const subscription_id = await subscribe(third, channel, 1);
    await third.api.ok("cancelSubscription", { params: { subscription_id } });
    await tip(first, channel, 500);
    const tip_id = await tip(second, channel, 300);
    await owner.api.ok("refundTip", { params: { tip_id } });
    const waits = { to_user_id: owner.id, amount_cents: 900, currency: "USD" };
    await first.api.ok("createTipCheckout", { body: waits });

    const { revenue, subscriptions } = await figuresOf(owner, "7d");
    expect(revenue).deep.equal({
      subscription_cents: 499 + 2_499,
      tip_cents: 500,
      total_cents: 499 + 2_499 + 500,
      by_tier: [
        { tier: 1, active_count: 1, revenue_cents: 499 },
        { tier: 2, active_count: 0, revenue_cents: 0 },
        { tier: 3, active_count: 1, revenue_cents: 2_499 },
      ],
    });
    shows("analytics.total", "analytics.by_tier");
    const counts = { active: 2, new_in_period: 3, cancelled_in_period: 1 };
    expect(subscriptions).deep.equal({ ...counts, churn_rate: 1 / 3 });
    await third.api.ok("resumeSubscription", { params: { subscription_id } });
    expect((await figuresOf(owner, "7d")).subscriptions).deep.equal({
      active: 3,
      new_in_period: 3,
      cancelled_in_period: 0,
      churn_rate: 0,
    });
    shows("analytics.churn");
  });

  it("count points by the ledger, follows by what became of them, and redemptions that weren't refunded", async () => {
    const channel = await given.channel();
    const { owner } = channel;
    const viewers = [await given.followerOf(channel), await given.followerOf(channel)];
    const [ada, bob] = viewers as [Person, Person];
    const blocked = await given.followerOf(channel);
    const titles = ["Hydrate", "Song"];
    const [water, song] = await Promise.all(
      titles.map((title) => owner.api.ok("createReward", { body: { title, cost: 40 } })),
    );
    const redemption_id = await redeem(ada, water?.id ?? "");
    await redeem(bob, song?.id ?? "");
    await redeem(ada, song?.id ?? "");
    const before = await figuresOf(owner, "7d");
    expect(before.points).deep.equal({
      earned: 900,
      spent: 120,
      top_redemptions: [
        { reward_title: "Song", count: 2 },
        { reward_title: "Hydrate", count: 1 },
      ],
    });
    // Counted by now: what is given back is taken out of it.
    world.clock.move(2 * 3_600_000);
    await settle(world.core.mongo);
    await world.core.analytics.count(world.core.mongo.db);
    expect(await figuresOf(await given.signedInAgain(owner), "7d")).deep.include({ points: before.points });
    const [again, its, theirs] = [
      await given.signedInAgain(owner),
      await given.signedInAgain(ada),
      await given.signedInAgain(bob),
    ];
    await again.api.ok("refundRedemption", { params: { redemption_id } });
    await unfollow(its, channel);
    await its.api.ok("followUser", { params: { user_id: owner.id } });
    await unfollow(theirs, channel);
    await unfollow(theirs, channel);
    await again.api.ok("blockUser", { params: { user_id: blocked.id } });

    const after = await figuresOf(again, "7d");
    expect(after.points).deep.equal({
      earned: 940,
      spent: 120,
      top_redemptions: [{ reward_title: "Song", count: 2 }],
    });
    expect(after.follows).deep.equal({ gained: 4, lost: 3, net: 1 });
    await settle(world.core.mongo);
    await world.core.analytics.count(world.core.mongo.db);
    await again.api.ok("deleteReward", { params: { reward_id: song?.id ?? "" } });
    await eventually(async () => {
      const { points } = await figuresOf(again, "7d");
      expect(points).deep.equal({ earned: 1_020, spent: 120, top_redemptions: [] });
    });
  });

  it("are of the days up to now", async () => {
    const channel = await given.channel();
    const [ada, bob] = [await given.followerOf(channel), await given.user()];
    await tip(ada, channel, 700);
    const subscription_id = await subscribe(bob, channel, 2);
    await bob.api.ok("cancelSubscription", { params: { subscription_id } });
    const seen = async (period: CreatorAnalytics["period"]) => {
      const owner = await given.signedInAgain(channel.owner);
      const { revenue, subscriptions, points, follows } = await figuresOf(owner, period);
      const { new_in_period, cancelled_in_period } = subscriptions;
      return [revenue.tip_cents, new_in_period, cancelled_in_period, points.earned, follows.gained];
    };
    const [all, none] = [
      [700, 1, 1, 300, 1],
      [0, 0, 0, 0, 0],
    ];
    expect(await seen("7d")).deep.equal(all);
    world.clock.move(7 * DAY_MS);
    expect([await seen("7d"), await seen("30d")]).deep.equal([none, all]);
    world.clock.move(23 * DAY_MS);
    expect([await seen("30d"), await seen("90d")]).deep.equal([none, all]);
    world.clock.move(60 * DAY_MS);
    expect(await seen("90d")).deep.equal(none);
    shows("analytics.period");
  });

  it("count videos and their views", async () => {
    const channel = await given.channel();
    const data = { ...channel.at, media_recording_id: newId(), duration_seconds: 60 };
    const created_at = new Date(world.clock.now()).toISOString();
    await billing.send({ type: "recording.ready", created_at, data }, {}, "mediaHook");
    const [video] = (
      await channel.owner.api.ok("listVideos", { params: { username: channel.owner.username } })
    ).items;
    const params = { video_id: video?.id ?? "" };
    for (const viewer of [await given.user(), await given.user()])
      await viewer.api.ok("viewVideo", { params });
    expect((await figuresOf(channel.owner, "7d")).videos).deep.equal({ total_views: 2, count: 1 });
  });

  it("count who watches a live channel, as the jobs' looks find them", async () => {
    const [channel, offline] = [await given.liveChannel(), await given.channel()];
    const beat = ({ at }: Channel, device_id: string) =>
      world.api.ok("heartbeat", { body: { ...at, device_id } });
    await eventually(async () => {
      // The running job may have had this minute's look already.
      world.clock.move(60_000);
      for (const device of ["tv", "phone"]) await beat(channel, device);
      await beat(offline, "tv");
      await world.core.analytics.look();
      expect((await figuresOf(channel.owner, "7d")).viewership.peak_viewers).equal(2);
    });
    const { viewership } = await figuresOf(channel.owner, "7d");
    expect(viewership).include({ peak_viewers: 2, unique_viewers: 2, source: "mongodb" });
    expect(viewership.watch_time_minutes).least(2);
    expect((await figuresOf(offline.owner, "7d")).viewership).include({
      unique_viewers: 0,
      source: "mongodb",
    });
  });
});
