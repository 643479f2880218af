import { randomUUID } from "node:crypto";
import { expect } from "chai";
import Stripe from "stripe";
import type { CheckoutOrder, PaymentPlatform } from "../../../actors/monetization/payments/platform.ts";
import { createStripePlatform } from "../../../actors/monetization/payments/stripe-platform.ts";
import { monthsAfter } from "../../../actors/monetization/subscription/paid-time.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/durations.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const SECRET = "whsec_of_this_endpoint";
const { webhooks } = new Stripe("sk_test_of_specs");

describe("POST /v1/webhooks/billing/stripe", () => {
  const orders: CheckoutOrder[] = [];
  const stripe = createStripePlatform({
    secretKey: "sk_test_of_specs",
    webhookSecrets: [SECRET],
    returnUrl: "https://example.com/back",
  });
  // Stripe's own server isn't there; its hooks are.
  const openCheckout: PaymentPlatform["openCheckout"] = async (order) => {
    orders.push(order);
    return { url: "https://example.com/pay", clientSecret: null, expiresAt: new Date(Date.now() + 60_000) };
  };
  const { world, given } = setUpWorld({ platform: { ...stripe, openCheckout }, clock: movableClock() });

  function send(type: string, data: object, createdAt = world.clock.now()) {
    const created = Math.floor(createdAt / 1_000);
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", created, type, data });
    const headers = {
      "content-type": "application/json",
      "stripe-signature": webhooks.generateTestHeaderString({ payload: body, secret: SECRET }),
    };
    return world.api.call("stripeHook", { headers, body });
  }

  async function subscribed(paidAt = world.clock.now()) {
    const [channel, fan] = [await given.channel(), await given.user()];
    const body = { channel_user_id: channel.owner.id, tier: 1 };
    const { checkout_id } = await fan.api.ok("createSubscriptionCheckout", { body });
    const order = orders.find((one) => one.checkoutId === checkout_id);
    const metadata = { checkout_id, subscription_id: order?.subscriptionId };
    const session = {
      payment_status: "paid",
      amount_total: 499,
      currency: "usd",
      subscription: "sub_1",
      metadata,
    };
    expect((await send("checkout.session.completed", { object: session }, paidAt)).status).equal(200);
    return { fan, metadata };
  }

  const invoiceOf = (metadata: object) => ({
    billing_reason: "subscription_cycle",
    amount_paid: 499,
    currency: "usd",
    parent: { subscription_details: { metadata, subscription: "sub_1" } },
  });
  const statusOf = async ({ api }: Person) => (await api.ok("listMySubscriptions")).items[0]?.status;

  it("tells a payer that a payment failed later, of subscriptions and tips", async () => {
    const [channel, fan] = [await given.channel(), await given.user()];
    const body = { channel_user_id: channel.owner.id, tier: 1 } as const;
    const subscription = await fan.api.ok("createSubscriptionCheckout", { body });
    const tipped = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD" };
    const tip = await fan.api.ok("createTipCheckout", { body: tipped });
    for (const { checkout_id, tip_id } of [subscription, tip]) {
      const metadata = { checkout_id, ...(tip_id === undefined ? {} : { tip_id }) };
      const object = { payment_status: "unpaid", metadata };
      expect((await send("checkout.session.async_payment_failed", { object })).status).equal(200);
      const found = await fan.api.ok("getCheckout", { params: { checkout_id } });
      expect(found.status).equal("failed");
    }
  });

  it("books a renewal in the form of API versions before 2025-03-31", async () => {
    const { fan, metadata } = await subscribed();
    const [before] = (await fan.api.ok("listMySubscriptions")).items;
    expect(before?.status).equal("active");
    const invoice = { billing_reason: "subscription_cycle", amount_paid: 499, currency: "usd" };
    const object = { ...invoice, subscription: "sub_1", subscription_details: { metadata } };
    expect((await send("invoice.paid", { object })).status).equal(200);
    const [after] = (await fan.api.ok("listMySubscriptions")).items;
    expect(Date.parse(String(after?.renews_at))).above(Date.parse(String(before?.renews_at)));
  });

  it("books a cancellation by cancel_at alone", async () => {
    const { fan, metadata } = await subscribed();
    const end = Math.floor(Date.now() / 1_000) + 86_400;
    const object = {
      id: "sub_1",
      metadata,
      cancel_at_period_end: false,
      cancel_at: end,
      current_period_end: end,
    };
    const data = { object, previous_attributes: { cancel_at: null } };
    expect((await send("customer.subscription.updated", data)).status).equal(200);
    expect((await fan.api.ok("listMySubscriptions")).items[0]?.status).equal("cancelled");
  });

  /** Paid a month and 70 minutes ago, so that the first renewal became due 70 minutes ago. */
  async function due() {
    const dueNow = () => world.clock.now() - 70 * MINUTE_MS;
    // The days after the 28th end no month of payment that begins in February.
    while (new Date(dueNow()).getUTCDate() > 28) world.clock.move(DAY_MS);
    const dueAt = dueNow();
    return { dueAt, ...(await subscribed(monthsAfter(dueAt, -1))) };
  }

  it("books the renewal of the last period before cancel_at, which begins before it is paid", async () => {
    const { fan, metadata, dueAt } = await due();
    const [oldEnd, end] = [dueAt, monthsAfter(dueAt, 1)].map((ms) => Math.floor(ms / 1_000));
    const item = (current_period_end: number | undefined) => ({ data: [{ current_period_end }] });
    const object = {
      id: "sub_1",
      metadata,
      cancel_at_period_end: false,
      cancel_at: end,
      items: item(end),
    };
    const alerts = world.alerts.length;
    const rollover = { object, previous_attributes: { items: item(oldEnd) } };
    await send("customer.subscription.updated", rollover, dueAt);
    expect(await statusOf(fan)).equal("active");

    await send("invoice.paid", { object: invoiceOf(metadata) }, dueAt + 60 * MINUTE_MS);

    const [after] = (await fan.api.ok("listMySubscriptions")).items;
    expect(after?.status).equal("active");
    expect(Date.parse(String(after?.renews_at))).above(world.clock.now() + 27 * DAY_MS);
    expect(world.alerts.length).equal(alerts);
    await send("customer.subscription.deleted", { object });
    expect(await statusOf(fan)).equal("expired");
  });

  it("books that a cancellation was taken back in the customer portal", async () => {
    const { fan, metadata } = await subscribed();
    const end = Math.floor(world.clock.now() / 1_000) + 86_400;
    const none = { id: "sub_1", metadata, cancel_at_period_end: false, cancel_at: null };
    const flagged = { ...none, cancel_at_period_end: true, cancel_at: end };
    const updated = (object: object, previous_attributes: object, createdAt: number) =>
      send("customer.subscription.updated", { object, previous_attributes }, createdAt);
    const at = world.clock.now();
    const before = { cancel_at_period_end: false, cancel_at: null };
    await updated(flagged, before, at + 1_000);
    expect(await statusOf(fan)).equal("cancelled");
    await updated(none, { cancel_at_period_end: true, cancel_at: end }, at + 2_000);
    expect(await statusOf(fan)).equal("active");
  });

  it("answers 500 and alerts for a handled type that can't be read", async () => {
    const alerts = world.alerts.length;
    const unknown = await send("invoice.paid", { object: { billing_reason: "subscription_cycle" } });
    expect([unknown.status, unknown.code]).deep.equal([500, "internal"]);
    const { metadata } = await subscribed();
    const session = { payment_status: "paid", amount_total: 499, currency: "credits", metadata };
    expect((await send("checkout.session.completed", { object: session })).status).equal(500);
    expect(world.alerts.slice(alerts)).deep.equal(["hook_unreadable", "hook_unreadable"]);
  });

  it("answers 200 for objects with another system's ids under our names, and books none", async () => {
    const { fan, metadata: ours } = await subscribed();
    const before = (await fan.api.ok("listMySubscriptions")).items;
    const alerts = world.alerts.length;
    const foreign = [
      { checkout_id: "cart-17", subscription_id: "4711" },
      { checkout_id: ours.checkout_id, subscription_id: "4711" },
      { checkout_id: "cart-17", subscription_id: String(ours.subscription_id) },
      { checkout_id: "cart-17", tip_id: "4711" },
      { ...ours, tip_id: "4711" },
    ];
    for (const metadata of foreign) {
      const session = { payment_status: "paid", amount_total: 499, currency: "usd", metadata };
      const subscription = { id: "sub_2", metadata, cancel_at_period_end: true, cancel_at: null };
      const events: [type: string, data: object][] = [
        ["checkout.session.completed", { object: session }],
        ["invoice.paid", { object: invoiceOf(metadata) }],
        ["customer.subscription.deleted", { object: subscription }],
        [
          "customer.subscription.updated",
          { object: subscription, previous_attributes: { cancel_at_period_end: false } },
        ],
      ];
      for (const [type, data] of events)
        expect((await send(type, data)).status, `${type} ${JSON.stringify(metadata)}`).equal(200);
    }

    expect((await fan.api.ok("listMySubscriptions")).items).deep.equal(before);
    expect(world.alerts.length).equal(alerts);
  });

  it("answers 200 for other types and objects of others, and 400 for what isn't an event", async () => {
    const alerts = world.alerts.length;
    expect((await send("invoice.created", { object: {} })).status).equal(200);
    const others = { object: { id: "sub_2", metadata: { product: "a shop" } } };
    expect((await send("customer.subscription.deleted", others)).status).equal(200);
    expect((await send("invoice.paid", {})).code).equal("validation_failed");
    expect(world.alerts.length).equal(alerts);
  });
});
