import { randomUUID } from "node:crypto";
import { expect } from "chai";
import Stripe from "stripe";
import type { CheckoutOrder, PaymentPlatform } from "../../../actors/payments/platform.ts";
import { createStripePlatform } from "../../../actors/payments/stripe-platform.ts";
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
  const { world, given } = setUpWorld({ platform: { ...stripe, openCheckout } });

  function send(type: string, data: object) {
    const created = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", created, type, data });
    const headers = {
      "content-type": "application/json",
      "stripe-signature": webhooks.generateTestHeaderString({ payload: body, secret: SECRET }),
    };
    return world.api.call("stripeHook", { headers, body });
  }

  async function subscribed() {
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
    expect((await send("checkout.session.completed", { object: session })).status).equal(200);
    return { fan, metadata };
  }

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

  it("answers 500 and alerts for a handled type that can't be read", async () => {
    const alerts = world.alerts.length;
    const unknown = await send("invoice.paid", { object: { billing_reason: "subscription_cycle" } });
    expect([unknown.status, unknown.code]).deep.equal([500, "internal"]);
    const metadata = { checkout_id: "1", subscription_id: "2" };
    const foreign = await send("customer.subscription.deleted", { object: { id: "sub_1", metadata } });
    expect(foreign.status).equal(500);
    expect(world.alerts.slice(alerts)).deep.equal(["hook_unreadable", "hook_unreadable"]);
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
