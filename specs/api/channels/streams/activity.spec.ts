import { expect } from "chai";
import type { StreamActivity } from "../../../../contract/wire.ts";
import { followsCollection } from "../../../../store/mongo/channels/follows.ts";
import { checkoutsCollection } from "../../../../store/mongo/monetization/checkouts.ts";
import { tipsCollection } from "../../../../store/mongo/monetization/tips.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const RAID_HOLD_MS = 10_000;

describe("listStreamActivity", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let billing: ReturnType<typeof givenBilling>;
  let channel: Channel;
  let fan: Person;
  before(() => {
    billing = givenBilling(world);
  });
  beforeEach(async () => {
    channel = await given.channel();
    fan = await given.followerOf(channel);
  });

  const list = (
    who: Person,
    query: { kind?: StreamActivity["kind"]; per_page?: number; before?: string } = {},
  ) => who.api.ok("listStreamActivity", { params: channel.at, query });
  const kindsOf = (items: readonly StreamActivity[]) => items.map(({ kind }) => kind);

  async function subscribe(who: Person, gift_to_user_id?: string): Promise<void> {
    const body = {
      channel_user_id: channel.owner.id,
      tier: 2 as const,
      ...(gift_to_user_id === undefined ? {} : { gift_to_user_id }),
    };
    const { checkout_url } = await who.api.ok("createSubscriptionCheckout", { body });
    await billing.press(checkout_url, "pay");
  }
  async function tip(who: Person, more: { anonymous?: boolean; message?: string } = {}): Promise<void> {
    const body = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", ...more };
    const { checkout_url } = await who.api.ok("createTipCheckout", { body });
    await billing.press(checkout_url, "pay");
  }
  async function redeem(): Promise<string> {
    const body = { title: "Hydrate", cost: 100, requires_input: true };
    const { id } = await channel.owner.api.ok("createReward", { body });
    const redeemed = { params: { reward_id: id }, body: { user_input: "Please" } };
    return (await fan.api.ok("redeemReward", redeemed)).id;
  }

  it("lists each kind with who did it and how much, newest first, and alone by kind", async () => {
    const friend = await given.user();
    await subscribe(fan);
    world.clock.move(1_000);
    await subscribe(fan, friend.id);
    world.clock.move(1_000);
    await tip(fan, { message: "Well played" });
    world.clock.move(1_000);
    const redemption = await redeem();
    world.clock.move(1_000);
    await given.goLive(channel);
    const raider = await given.liveChannel();
    const raid = await raider.owner.api.ok("createRaid", {
      body: { target_user_id: channel.owner.id, message: "Hello" },
    });
    world.clock.move(RAID_HOLD_MS);
    await raider.owner.api.ok("startRaid", { params: { raid_id: raid.id } });
    world.clock.move(1_000);
    const host = await given.channel();
    await host.owner.api.ok("hostChannel", { body: { target_user_id: channel.owner.id } });

    await eventually(async () =>
      expect((await list(channel.owner, { kind: "tip" })).items[0]?.message).equal("Well played"),
    );
    const { items, total } = await list(channel.owner);
    expect(kindsOf(items)).deep.equal([
      ...(["host", "raid", "redemption", "tip", "gift", "subscription", "follow"] as const),
    ]);
    expect(total).equal(7);
    const [hosted, raided, redeemed, tipped, gifted, subscribed, followed] = items;
    expect(hosted).deep.include({ id: `host:${host.owner.id}` });
    expect(raided).deep.include({ id: `raid:${raid.id}`, message: "Hello", viewer_count: 0 });
    expect(raided?.user?.id).equal(raider.owner.id);
    expect(redeemed?.redemption).deep.include({ id: redemption, user_input: "Please", status: "pending" });
    expect(tipped).deep.include({ amount_cents: 500, currency: "USD" });
    expect(gifted?.receiver?.id).equal(friend.id);
    for (const one of [gifted, subscribed]) expect(one).deep.include({ tier: 2 });
    for (const one of [redeemed, tipped, gifted, subscribed, followed]) expect(one?.user?.id).equal(fan.id);
    for (const { kind } of items)
      expect(kindsOf((await list(channel.owner, { kind })).items)).deep.equal([kind]);
  });

  it("goes on by its cursor without missing or repeating events of one moment", async () => {
    const followers = await Promise.all(Array.from({ length: 6 }, () => given.followerOf(channel)));
    for (const one of followers.slice(0, 3)) await tip(one);
    await Promise.all(followers.slice(0, 3).map((one) => subscribe(one)));
    const { db } = world.core.mongo;
    const at = new Date(world.clock.now());
    await followsCollection.in(db).updateMany({ followingId: channel.owner.id }, { $set: { createdAt: at } });
    await tipsCollection.in(db).updateMany({ toUserId: channel.owner.id }, { $set: { paidAt: at } });
    await checkoutsCollection
      .in(db)
      .updateMany({ channelUserId: channel.owner.id, paidAt: { $ne: null } }, { $set: { paidAt: at } });
    const all = (await list(channel.owner)).items.map(({ id }) => id);
    expect(all).length(7 + 3 + 3);
    const read: string[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await list(channel.owner, { per_page: 2, ...(before === undefined ? {} : { before }) });
      read.push(...page.items.map(({ id }) => id));
      before = page.before_cursor ?? null;
    }
    expect(read).deep.equal(all);
    const second = await channel.owner.api.ok("listStreamActivity", {
      params: channel.at,
      query: { page: 2, per_page: 5 },
    });
    expect(second.items.map(({ id }) => id)).deep.equal(all.slice(5, 10));
    const far = await channel.owner.api.ok("listStreamActivity", {
      params: channel.at,
      query: { page: 201, per_page: 5 },
    });
    expect(far).deep.include({ items: [], has_more: false });
  });

  it("hides the sender of an anonymous tip, and refuses everybody but those who run the channel", async () => {
    await tip(fan, { anonymous: true, message: "Psst" });
    const moderator = await given.moderatorOf(channel);
    const [own] = (await list(channel.owner, { kind: "tip" })).items;
    const [theirs] = (await list(moderator, { kind: "tip" })).items;
    expect(own).deep.equal(theirs).and.deep.include({ user: null, message: null });
    const answer = await fan.api.call("listStreamActivity", { params: channel.at });
    expect(answer.code).equal("forbidden");
    expect((await world.api.call("listStreamActivity", { params: channel.at })).code).equal("auth_required");
  });
});
