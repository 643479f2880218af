import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../support/room-viewer.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("Paying by the development platform", () => {
  const { world, given } = setUpWorld();
  let billing: ReturnType<typeof givenBilling>;
  before(async () => {
    billing = givenBilling(world);
  });
  const viewers: RoomViewer[] = [];
  afterEach(() => {
    for (const { client } of viewers.splice(0)) client.close();
  });

  /** The events about money that are published to the room from now on. */
  async function eventsIn({ stream }: Channel) {
    const events: { type: string; data: unknown }[] = [];
    let isSubscribed = false;
    const viewer = viewRoom({
      http: world.baseUrl,
      streamId: stream.id,
      onMessage({ type, data }) {
        isSubscribed ||= type === "subscribed";
        if (/^(tip|subscription)\./.test(type)) events.push({ type, data });
      },
    });
    viewers.push(viewer);
    await eventually(() => isSubscribed, { what: "the room is subscribed to" });
    return async (type: string) => {
      const isIt = (one: { type: string }) => one.type === type;
      await eventually(() => events.some(isIt), { what: `the room receives ${type}` });
      return events.find(isIt)?.data;
    };
  }

  const subscribe = (channel: { owner: { id: string } }, tier = 1, more: object = {}) => ({
    body: { channel_user_id: channel.owner.id, tier, ...more },
  });

  it("shows a page with the price; nothing is subscribed to until Pay is pressed", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const session = await fan.api.ok("createSubscriptionCheckout", subscribe(channel, 2));
    expect(session.provider).equal("stripe");
    const page = await (await fetch(String(session.checkout_url))).text();
    expect(page).contain("$9.99 a month");
    expect((await fan.api.ok("listMySubscriptions")).items).deep.equal([]);
    expect((await billing.press(session.checkout_url, "decline")).status).equal(200);
    expect((await fan.api.ok("listMySubscriptions")).items).deep.equal([]);

    const { status, page: answer } = await billing.press(session.checkout_url, "pay");
    expect(status, answer).equal(200);
    const [subscription] = (await fan.api.ok("listMySubscriptions")).items;
    expect(subscription).include({ tier: 2, status: "active", is_gift: false, cancelled_at: null });
    expect(subscription?.channel?.id).equal(channel.owner.id);
    const [subscriber] = (await channel.owner.api.ok("listMySubscribers")).items;
    expect(subscriber?.subscriber.id).equal(fan.id);
    expect(subscriber).not.have.property("channel");
    expect(await world.core.subscriptions.tierOf(fan.id, channel.owner.id)).equal(2);
    expect(await world.core.subscriptions.tierOf(channel.owner.id, fan.id)).equal(null);
    shows("absent ChannelSubscription.channel", "default ChannelSubscription.is_gift");
  });

  it("goes through cancelling, resuming, failing, renewing and ending", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", subscribe(channel));
    await billing.press(checkout_url, "pay");
    const [first] = (await fan.api.ok("listMySubscriptions")).items;
    if (!first) throw new Error("it was paid");
    const params = { subscription_id: first.id };
    const stands = async () => (await fan.api.ok("listMySubscriptions")).items[0];

    expect((await fan.api.ok("cancelSubscription", { params })).status).equal("cancelled");
    expect((await fan.api.call("cancelSubscription", { params })).code).equal("invalid_state");
    await eventually(async () => (await callsLeft()) === 0, {
      what: "the platform is notified",
      withinMs: 20_000,
    });
    expect((await fan.api.ok("resumeSubscription", { params })).status).equal("active");
    await eventually(async () => (await callsLeft()) === 0, {
      what: "the platform is notified",
      withinMs: 20_000,
    });
    expect((await stands())?.status).equal("active");

    await billing.press(checkout_url, "fail");
    expect((await stands())?.status).equal("past_due");
    expect(await world.core.subscriptions.tierOf(fan.id, channel.owner.id)).equal(1);
    await billing.press(checkout_url, "renew");
    const renewed = await stands();
    expect(renewed?.status).equal("active");
    expect(Date.parse(String(renewed?.renews_at))).greaterThan(Date.parse(String(first.renews_at)));
    await billing.press(checkout_url, "end");
    expect((await stands())?.status).equal("expired");
    expect(await world.core.subscriptions.tierOf(fan.id, channel.owner.id)).equal(null);

    const { items } = await fan.api.ok("getSubscriptionHistory", { params });
    const states = items.map(({ to }) => to);
    expect(states).deep.equal(["active", "cancelled", "active", "past_due", "active", "expired"]);
    expect((await channel.owner.api.ok("getSubscriptionHistory", { params })).total).equal(items.length);
    const stranger = await given.user();
    expect((await stranger.api.call("getSubscriptionHistory", { params })).code).equal("forbidden");
    expect((await stranger.api.call("cancelSubscription", { params })).code).equal("forbidden");
    shows("money.entitlement");
  });

  it("answers an address to go to, or a secret to confirm in place, as requested", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const tip = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD" };
    for (const more of [{}, { confirm: "redirect" }]) {
      const away = await fan.api.ok("createTipCheckout", { body: { ...tip, ...more } });
      expect(away).include({ provider: "stripe" }).and.include({ client_secret: null });
      expect((await fetch(String(away.checkout_url))).status).equal(200);
    }

    const inPlace = await fan.api.ok(
      "createSubscriptionCheckout",
      subscribe(channel, 1, { confirm: "in_place" }),
    );

    expect(inPlace.checkout_url).equal(null);
    expect(inPlace.client_secret).a("string").and.not.equal("");
    shows("money.checkout");
  });

  const callsLeft = () => world.core.mongo.db.collection("platform_calls").countDocuments();

  it("takes a tip, notifies the room, and gives it back once", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const eventOf = await eventsIn(channel);
    const body = {
      to_user_id: channel.owner.id,
      amount_cents: 750,
      currency: "USD",
      message: "What a play!",
    };
    const { checkout_url } = await fan.api.ok("createTipCheckout", { body });
    const [pending] = (await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items;
    expect(pending).include({ status: "pending", amount_cents: 750 });
    await billing.press(checkout_url, "pay");
    const event = await eventOf("tip.received");
    expect(event).deep.include({ amount_cents: 750, currency: "USD", message: null });
    const [tip] = (await channel.owner.api.ok("listMyTips")).items;
    expect(tip).include({ status: "completed" });
    expect(tip?.from_user?.id).equal(fan.id);

    const params = { tip_id: String(tip?.id) };
    expect((await fan.api.call("refundTip", { params })).code).equal("forbidden");
    const refunds = await Promise.all(
      [1, 2, 3, 4].map(() => channel.owner.api.call("refundTip", { params })),
    );
    expect(refunds.map(({ status }) => status).sort()).deep.equal([200, 409, 409, 409]);
    for (const { code, details } of refunds.filter(({ status }) => status === 409))
      expect({ code, details }).deep.equal({ code: "invalid_state", details: { status: "refunded" } });
    await eventually(async () => (await callsLeft()) === 0, {
      what: "the platform is notified",
      withinMs: 20_000,
    });
    expect((await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items[0]?.status).equal(
      "refunded",
    );
  });

  it("hides who an anonymous tip is from, also in the room; nobody has to be signed in", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const body = { to_user_id: channel.owner.id, amount_cents: 100, currency: "USD" };
    const hidden = await fan.api.ok("createTipCheckout", { body: { ...body, anonymous: true } });
    const nobodys = await world.api.ok("createTipCheckout", { body });
    for (const { checkout_url } of [hidden, nobodys]) await billing.press(checkout_url, "pay");
    const { items } = await channel.owner.api.ok("listMyTips");
    expect(items.map(({ from_user, status }) => [from_user, status])).deep.equal([
      [null, "completed"],
      [null, "completed"],
    ]);
    const sent = (await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items;
    expect(sent.map(({ from_user }) => from_user?.id)).deep.equal([fan.id]);
    shows("absent Tip.from_user");
  });

  it("gives 30 days to somebody else, extends what they have, and notifies the room", async () => {
    const channel = await given.channel();
    const [giver, fan] = [await given.user(), await given.user()];
    const eventOf = await eventsIn(channel);
    const gift = async () => {
      const order = subscribe(channel, 1, { gift_to_user_id: fan.id });
      await billing.press((await giver.api.ok("createSubscriptionCheckout", order)).checkout_url, "pay");
      return (await fan.api.ok("listMySubscriptions")).items[0];
    };
    const first = await gift();
    expect(first).include({ is_gift: true, status: "active" });
    const DAY = 86_400_000;
    expect(Date.parse(String(first?.renews_at)) - Date.parse(String(first?.started_at))).equal(30 * DAY);
    const event = await eventOf("subscription.gifted");
    expect(event).deep.include({ tier: 1 });
    const activity = { params: channel.at, query: { kind: "gift" } };
    const [listed] = (await channel.owner.api.ok("listStreamActivity", activity)).items;
    expect(listed?.id).equal(`gift:${Object(event).payment_id}`);
    const second = await gift();
    expect(second?.id).equal(first?.id);
    expect(Date.parse(String(second?.renews_at)) - Date.parse(String(first?.started_at))).equal(60 * DAY);
  });

  it("refuses what can't be: oneself, another currency, a second subscription, a block", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const code = async (tried: Promise<{ code: string | null }>) => (await tried).code;
    expect(await code(channel.owner.api.call("createSubscriptionCheckout", subscribe(channel)))).equal(
      "self_target",
    );
    const toSelf = subscribe(channel, 1, { gift_to_user_id: fan.id });
    expect(await code(fan.api.call("createSubscriptionCheckout", toSelf))).equal("self_target");
    const tip = { to_user_id: channel.owner.id, amount_cents: 100, currency: "EUR" };
    expect(await code(fan.api.call("createTipCheckout", { body: tip }))).equal("validation_failed");
    expect(
      await code(
        fan.api.call("createTipCheckout", { body: { ...tip, currency: "USD", to_user_id: fan.id } }),
      ),
    ).equal("self_target");

    // Both are opened before either is paid: the second payment extends.
    const opened = [
      await fan.api.ok("createSubscriptionCheckout", subscribe(channel)),
      await fan.api.ok("createSubscriptionCheckout", subscribe(channel)),
    ];
    for (const { checkout_url } of opened) await billing.press(checkout_url, "pay");
    const { items } = await fan.api.ok("listMySubscriptions");
    expect(items).lengthOf(1);
    const months =
      (Date.parse(String(items[0]?.renews_at)) - Date.parse(String(items[0]?.started_at))) / 86_400_000;
    expect(months).within(58, 63);
    expect(await code(fan.api.call("createSubscriptionCheckout", subscribe(channel)))).equal(
      "already_subscribed",
    );

    const other = await given.user();
    await channel.owner.api.ok("blockUser", { params: { user_id: other.id } });
    expect(await code(other.api.call("createSubscriptionCheckout", subscribe(channel)))).equal("blocked");
  });

  it("answers a repeat with its key by the same checkout, and another request under it not at all", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const keyed = fan.api.with({ "idempotency-key": "one-and-the-same" });
    const answers = await Promise.all(
      [1, 2, 3].map(() => keyed.ok("createSubscriptionCheckout", subscribe(channel))),
    );
    expect(new Set(answers.map(({ checkout_url }) => checkout_url)).size).equal(1);
    await billing.press(answers[0]?.checkout_url, "pay");
    expect(await keyed.ok("createSubscriptionCheckout", subscribe(channel))).deep.equal(answers[0]);
    const other = await keyed.call("createSubscriptionCheckout", subscribe(channel, 3));
    expect(other.code).oneOf(["idempotency_conflict", "already_subscribed"]);
  });

  it("changes to a higher tier when that is paid, and to a lower one at the renewal", async () => {
    const channel = await given.channel();
    const fan = await given.user();
    const { checkout_url } = await fan.api.ok("createSubscriptionCheckout", subscribe(channel, 1));
    await billing.press(checkout_url, "pay");
    const mine = async () => (await fan.api.ok("listMySubscriptions")).items[0];
    const params = { subscription_id: String((await mine())?.id) };
    const up = await fan.api.call("changeSubscriptionTier", { params, body: { tier: 3 } });
    expect(up.status).equal(201);
    expect((await mine())?.tier).equal(1);
    const upgrade = up.body as { checkout_url: string };
    await billing.press(upgrade.checkout_url, "pay");
    expect((await mine())?.tier).equal(3);

    const down = await fan.api.call("changeSubscriptionTier", { params, body: { tier: 2 } });
    expect(down.status).equal(200);
    expect(await mine()).include({ tier: 3, next_tier: 2 });
    const takenBack = await fan.api.call("changeSubscriptionTier", { params, body: { tier: 3 } });
    expect(takenBack.body).include({ tier: 3 });
    expect(takenBack.body).not.have.property("next_tier");
    // What was billed before the upgrade isn't any more, so its renewal is nobody's debt.
    await billing.press(checkout_url, "renew");
    await eventually(() => world.alerts.includes("hook_set_aside"), { what: "somebody is alerted" });
  });
});
