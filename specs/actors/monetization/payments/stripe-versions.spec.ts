import { readFileSync } from "node:fs";
import { expect } from "chai";
import Stripe from "stripe";
import { HookUnreadable } from "../../../../actors/monetization/payments/platform.ts";
import {
  createStripePlatform,
  STRIPE_API_VERSION,
} from "../../../../actors/monetization/payments/stripe-platform.ts";

const SECRET = "whsec_of_this_endpoint";
const PAGE = readFileSync(new URL("../../../../docs/payments.md", import.meta.url), "utf8");
const metadata = {
  checkout_id: "01a204bf-0000-7000-8000-000000000001",
  subscription_id: "01a204bf-0000-7000-8000-000000000002",
};
const renewal = {
  object: "invoice",
  billing_reason: "subscription_cycle",
  amount_paid: 499,
  currency: "usd",
};
/** The invoice of a renewal, in the forms that API versions give it. */
const INVOICES = {
  "since 2025-03-31": { parent: { subscription_details: { metadata, subscription: "sub_1" } } },
  "since 2025-03-31, expanded": {
    parent: { subscription_details: { metadata, subscription: { id: "sub_1" } } },
  },
  "of 2024-06-20": { subscription: "sub_1", subscription_details: { metadata } },
  "of 2024-06-20, expanded": { subscription: { id: "sub_1" }, subscription_details: { metadata } },
  "since 2025-03-31, with metadata null": {
    parent: { subscription_details: { metadata: null, subscription: "sub_1" } },
    lines: { data: [{ metadata: {} }, { metadata }] },
  },
  "of 2024-06-20, with empty metadata": {
    subscription: "sub_1",
    subscription_details: { metadata: {} },
    lines: { data: [{ metadata }] },
  },
  "of 2022-11-15": { subscription: "sub_1", lines: { data: [{ metadata: {} }, { metadata }] } },
};
const END = 1_802_000_000;
/** The end of the current period: of the subscription, or since 2025-03-31 of its items. */
const PERIODS = {
  "before 2025-03-31": { current_period_end: END },
  "since 2025-03-31": { items: { data: [{ current_period_end: END - 1 }, { current_period_end: END }] } },
};

describe("Stripe: forms of API versions", () => {
  const stripe = createStripePlatform({
    secretKey: "sk_test_of_specs",
    webhookSecrets: [SECRET],
    returnUrl: "https://example.com/back",
  });
  const { webhooks } = new Stripe("sk_test_of_specs");
  const read = (type: string, object: object, previous?: object) => {
    const data = { object, ...(previous ? { previous_attributes: previous } : {}) };
    const payload = JSON.stringify({ id: "evt_1", object: "event", created: 1_800_000_000, type, data });
    const header = webhooks.generateTestHeaderString({ payload, secret: SECRET });
    return stripe.readHook(Buffer.from(payload), header);
  };
  const updated = (object: object, previous: object) =>
    read("customer.subscription.updated", { id: "sub_1", metadata, ...object }, previous)?.type ?? null;

  for (const [version, form] of Object.entries(INVOICES))
    it(`reads the invoice of a renewal ${version}`, () => {
      const ids = { ...metadata, platform_id: "sub_1" };
      const paid = read("invoice.paid", { ...renewal, ...form });
      expect([paid?.type, paid?.data]).deep.equal([
        "subscription.renewed",
        { ...ids, amount_cents: 499, currency: "USD" },
      ]);
      const failed = read("invoice.payment_failed", { ...renewal, ...form });
      expect([failed?.type, failed?.data]).deep.equal(["subscription.payment_failed", ids]);
    });

  for (const [version, period] of Object.entries(PERIODS)) {
    const none = { cancel_at_period_end: false, cancel_at: null, ...period };
    it(`reads a cancellation by cancel_at alone, with periods as ${version}`, () => {
      expect(updated({ ...none, cancel_at: END }, { cancel_at: null })).equal("subscription.cancelled");
      expect(updated({ ...none, cancel_at: END - 60 }, { cancel_at: null })).equal("subscription.cancelled");
    });

    it(`reads a cancellation by period end once, with periods as ${version}`, () => {
      const flagged = { ...none, cancel_at_period_end: true, cancel_at: END };
      const before = { cancel_at_period_end: false, cancel_at: null };
      expect(updated(flagged, before)).equal("subscription.cancelled");
      expect(updated(flagged, { default_payment_method: null })).equal(null);
      expect(updated({ ...none, cancel_at: END }, { cancel_at_period_end: true })).equal(null);
    });

    it(`reads that a cancellation was taken back, with periods as ${version}`, () => {
      const before = { cancel_at_period_end: true, cancel_at: END };
      expect(updated(none, before)).equal("subscription.resumed");
      expect(updated(none, { cancel_at: END })).equal("subscription.resumed");
      expect(updated({ ...none, cancel_at: END + 60 }, { cancel_at: END })).equal("subscription.resumed");
      expect(updated(none, { cancel_at: END + 60 })).equal(null);
      expect(updated(none, { default_payment_method: null })).equal(null);
    });

    it(`reads the flag as a cancellation in the last period before a date, too, as ${version}`, () => {
      const flagged = { ...none, cancel_at_period_end: true, cancel_at: END };
      expect(updated(flagged, { cancel_at_period_end: false })).equal("subscription.cancelled");
    });

    it(`reads no cancellation when a period rolls over to the one that cancel_at ends, as ${version}`, () => {
      expect(updated({ ...none, cancel_at: END + 60 }, { cancel_at: null })).equal(null);
      const earlier = JSON.parse(JSON.stringify(period).replaceAll("18020", "17990")) as object;
      expect(updated({ ...none, cancel_at: END }, earlier)).equal(null);
    });
  }

  const handled = [...new Set(PAGE.match(/`(checkout\.session|invoice|customer|charge)\.[a-z_.]+`/g))].map(
    (one) => one.replaceAll("`", ""),
  );

  it("refuses to drop an object of a handled type that has another form", () => {
    expect(handled.length).equal(9);
    for (const type of handled)
      for (const object of [{}, { id: 1 }, { metadata: "none" }])
        expect(() => read(type, object), `${type} ${JSON.stringify(object)}`).throws(HookUnreadable);
    const ours = { payment_status: "paid", metadata, currency: "usd" };
    expect(() => read("checkout.session.completed", ours)).throws(HookUnreadable);
    expect(() => read("invoice.paid", renewal)).throws(HookUnreadable);
    expect(() => read("invoice.paid", { ...renewal, subscription: "sub_1" })).throws(HookUnreadable);
    const cancelled = { id: "sub_1", metadata, cancel_at_period_end: true };
    expect(() => read("customer.subscription.updated", cancelled)).throws(HookUnreadable);
  });

  it("ignores objects of handled types that carry none of our ids", () => {
    const others = { metadata: { product: "a shop" } };
    expect(read("checkout.session.completed", { payment_status: "paid", ...others })).equal(null);
    expect(read("checkout.session.completed", { payment_status: "paid" })).equal(null);
    expect(read("customer.subscription.deleted", { id: "sub_2", ...others })).equal(null);
    for (const details of [others, { metadata: null }])
      expect(read("invoice.paid", { ...renewal, subscription: "s", subscription_details: details })).equal(
        null,
      );
  });

  it("ignores types that it doesn't handle, whatever their object", () => {
    for (const type of ["payment_method.attached", "invoice.created", "toString", ""])
      expect(read(type, {})).equal(null);
  });

  it("documents the API version that the library is pinned to", () => {
    expect(PAGE).contain(`\`${STRIPE_API_VERSION}\``);
  });
});
