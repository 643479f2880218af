import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import Stripe from "stripe";
import { CallRefused, type PaymentPlatform } from "../../../../actors/monetization/payments/platform.ts";
import {
  createStripePlatform,
  STRIPE_API_VERSION,
} from "../../../../actors/monetization/payments/stripe-platform.ts";
import type { ServiceError } from "../../../../contract/errors.ts";

const SECRET = "whsec_of_this_endpoint";
const OLDER_SECRET = "whsec_of_this_endpoint_before";

type StripeRequest = {
  method: string;
  path: string;
  form: URLSearchParams;
  key: string | undefined;
  version: string | undefined;
};

/** Stands where Stripe's servers would, and answers what their documentation says they do. */
describe("Stripe", () => {
  let server: Server;
  let stripe: PaymentPlatform;
  let requests: StripeRequest[] = [];
  let refuse: { status: number; code: string; headers?: Record<string, string> } | null = null;
  let cancelled: object = {};
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const version = headers["stripe-version"]?.toString();
        requests.push({ method, path: url, form, key: headers["idempotency-key"]?.toString(), version });
        const { status, body } = answerTo(method, url);
        response
          .writeHead(status, { "content-type": "application/json", ...refuse?.headers })
          .end(JSON.stringify(body));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    stripe = createStripePlatform({
      secretKey: "sk_test_of_specs",
      webhookSecrets: [SECRET, OLDER_SECRET],
      returnUrl: "https://example.com/back",
      server: { host: "127.0.0.1", port, protocol: "http" },
    });
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    requests = [];
    refuse = null;
    cancelled = {};
  });

  function answerTo(method: string, path: string): { status: number; body: object } {
    if (refuse)
      return { status: refuse.status, body: { error: { type: "invalid_request_error", code: refuse.code } } };
    if (path === "/v1/checkout/sessions") {
      const body = { object: "checkout.session", id: "cs_1", expires_at: 1_900_000_000 };
      return {
        status: 200,
        body: { ...body, url: "https://checkout.stripe.com/c/1", client_secret: "cs_1_secret" },
      };
    }
    if (method === "GET") {
      const price = { id: "price_1", product: "prod_1", currency: "usd" };
      return { status: 200, body: { id: "sub_1", ...cancelled, items: { data: [{ id: "si_1", price }] } } };
    }
    return { status: 200, body: { id: "some_1" } };
  }

  const order = {
    checkoutId: "01a204bf-0000-7000-8000-000000000001",
    subscriptionId: "01a204bf-0000-7000-8000-000000000002",
    tipId: null,
    isRecurring: true,
    title: "Subscription to ada, tier 1",
    amountCents: 499,
    currency: "USD",
    confirm: "redirect" as const,
  };

  it("opens a session for a subscription, with our price, our ids and the checkout's id as key", async () => {
    const opened = await stripe.openCheckout(order);
    expect(opened).deep.equal({
      url: "https://checkout.stripe.com/c/1",
      clientSecret: null,
      expiresAt: new Date(1_900_000_000_000),
    });
    const [call] = requests;
    expect(call?.key).equal(order.checkoutId);
    expect(Object.fromEntries(call?.form ?? [])).include({
      mode: "subscription",
      "line_items[0][price_data][unit_amount]": "499",
      "line_items[0][price_data][currency]": "usd",
      "line_items[0][price_data][recurring][interval]": "month",
      "metadata[checkout_id]": order.checkoutId,
      "subscription_data[metadata][subscription_id]": order.subscriptionId,
      success_url: "https://example.com/back",
    });
  });

  it("opens one for a tip to be confirmed in place", async () => {
    const tip = {
      ...order,
      subscriptionId: null,
      tipId: "01a204bf-0000-7000-8000-000000000003",
      isRecurring: false,
    };
    const { url, clientSecret } = await stripe.openCheckout({ ...tip, confirm: "in_place" });
    expect([url, clientSecret]).deep.equal([null, "cs_1_secret"]);
    expect(Object.fromEntries(requests[0]?.form ?? [])).include({
      mode: "payment",
      "payment_intent_data[metadata][tip_id]": tip.tipId,
      ui_mode: "embedded_page",
      return_url: "https://example.com/back",
    });
  });

  it("leads back to the page that the payer came from, and says whether it was left", async () => {
    const returnTo = "https://example.com/ada?t=5";
    await stripe.openCheckout({ ...order, returnTo });
    await stripe.openCheckout({ ...order, returnTo, confirm: "in_place" });
    const back = `${returnTo}#checkout=${order.checkoutId}`;
    const [redirect, inPlace] = requests.map(({ form }) => Object.fromEntries(form));
    expect(redirect).include({ success_url: back, cancel_url: `${back}&left=1` });
    expect(inPlace).include({ return_url: back });
  });

  it("says unavailable when Stripe refuses", async () => {
    refuse = { status: 400, code: "parameter_invalid" };
    const failed = await stripe.openCheckout(order).catch((err: ServiceError) => err.code);
    expect(failed).equal("unavailable");
  });

  const requestOf = async (call: Parameters<PaymentPlatform["call"]>[1]) => {
    requests = [];
    await stripe.call("call-1", call);
    const last = requests.at(-1);
    expect(last?.key).match(/^call-1(:cancel_at)?$/);
    return [`${last?.method} ${last?.path}`, Object.fromEntries(last?.form ?? [])];
  };

  it("receives calls to stop, to resume, to end, to postpone, to change the price and to refund, each once", async () => {
    const platformId = "sub_1";
    const update = "POST /v1/subscriptions/sub_1";
    expect(await requestOf({ kind: "stop", platformId })).deep.equal([
      update,
      { cancel_at_period_end: "true" },
    ]);
    expect(await requestOf({ kind: "resume", platformId })).deep.equal([
      update,
      { cancel_at_period_end: "false" },
    ]);
    expect((await requestOf({ kind: "end", platformId }))[0]).equal("DELETE /v1/subscriptions/sub_1");
    expect(await requestOf({ kind: "postpone", platformId, until: 1_900_000_000_001 })).deep.equal([
      update,
      { trial_end: "1900000001", proration_behavior: "none" },
    ]);
    const [path, form] = await requestOf({ kind: "changePlan", platformId, tier: 1, priceCents: 499 });
    expect(path).equal(update);
    expect(form).include({
      "items[0][id]": "si_1",
      "items[0][price_data][product]": "prod_1",
      "items[0][price_data][unit_amount]": "499",
      proration_behavior: "none",
    });
    expect(await requestOf({ kind: "refund", platformId: "pi_1", amountCents: 500 })).deep.equal([
      "POST /v1/refunds",
      { payment_intent: "pi_1", amount: "500" },
    ]);
  });

  it("counts what was done already as done, and nothing else", async () => {
    refuse = { status: 404, code: "resource_missing" };
    await stripe.call("1", { kind: "end", platformId: "sub_gone" });
    const stopped = await stripe.call("2", { kind: "stop", platformId: "sub_gone" }).catch(() => "failed");
    expect(stopped).equal("failed");
    refuse = { status: 400, code: "charge_already_refunded" };
    await stripe.call("3", { kind: "refund", platformId: "pi_1", amountCents: 1 });
  });

  it("takes back whichever of Stripe's two cancellations there is when it resumes", async () => {
    const resume = { kind: "resume", platformId: "sub_1" } as const;
    cancelled = { cancel_at_period_end: false, cancel_at: 1_900_000_000 };
    expect((await requestOf(resume))[1]).deep.equal({ cancel_at: "" });
    cancelled = { cancel_at_period_end: true, cancel_at: 1_900_000_000 };
    expect((await requestOf(resume))[1]).deep.equal({ cancel_at_period_end: "false" });
  });

  it("uses an idempotency key for one set of parameters when a resumption is tried again", async () => {
    const sent = async () => {
      requests = [];
      await stripe.call("call-2", { kind: "resume", platformId: "sub_1" });
      const { form, key } = requests.at(-1) ?? {};
      return { key, form: String(form) };
    };
    const states = [{ cancel_at: 1_900_000_000 }, { cancel_at_period_end: true }, {}];
    const byKey = new Map<string | undefined, string>();
    for (const state of [...states, ...states]) {
      cancelled = state;
      const { key, form } = await sent();
      expect(byKey.get(key) ?? form, key).equal(form);
      byKey.set(key, form);
    }
  });

  it("counts only answers that Stripe keeps for an idempotency key as refusals", async () => {
    const refusedBy = async (status: number, headers = {}) => {
      refuse = { status, code: "some_code", headers };
      const failed = stripe.call("1", { kind: "refund", platformId: "pi_1", amountCents: 1 });
      return failed.then(
        () => null,
        (err: unknown) => err instanceof CallRefused,
      );
    };
    const never = { "stripe-should-retry": "false" };
    for (const status of [400, 402, 403, 404]) expect(await refusedBy(status), `${status}`).equal(true);
    expect(await refusedBy(500, never)).equal(true);
    for (const status of [409, 429, 502, 503]) expect(await refusedBy(status), `${status}`).equal(false);
    expect(await refusedBy(500, { "stripe-should-retry": "true" })).equal(false);
  });

  it("makes its requests with the pinned API version", async () => {
    await stripe.openCheckout(order);
    expect(requests[0]?.version).equal(STRIPE_API_VERSION);
  });

  const { webhooks } = new Stripe("sk_test_of_specs");
  const created = 1_800_000_000;
  const signed = (event: object, { secret = SECRET, timestamp = Math.floor(Date.now() / 1_000) } = {}) => {
    const payload = JSON.stringify({ id: "evt_1", object: "event", created, ...event });
    return {
      raw: Buffer.from(payload),
      header: webhooks.generateTestHeaderString({ payload, secret, timestamp }),
    };
  };
  const read = (event: object, how = {}) => {
    const { raw, header } = signed(event, how);
    return stripe.readHook(raw, header);
  };
  const TIP_ID = "01a204bf-0000-7000-8000-000000000003";
  const metadata = { checkout_id: order.checkoutId, subscription_id: order.subscriptionId };

  it("is believed by the signature of one of the secrets alone, and lately", () => {
    const event = { type: "customer.subscription.deleted", data: { object: { id: "sub_1", metadata } } };
    expect(read(event)?.type).equal("subscription.expired");
    expect(read(event, { secret: OLDER_SECRET })?.type).equal("subscription.expired");
    const code = (act: () => unknown) => {
      try {
        return act();
      } catch (err) {
        return (err as ServiceError).code;
      }
    };
    expect(code(() => read(event, { secret: "whsec_of_somebody" }))).equal("signature_invalid");
    const old = Math.floor(Date.now() / 1_000) - 301;
    expect(code(() => read(event, { timestamp: old }))).equal("signature_invalid");
    const { raw, header } = signed(event);
    expect(code(() => stripe.readHook(Buffer.concat([raw, Buffer.from(" ")]), header))).equal(
      "signature_invalid",
    );
    expect(code(() => stripe.readHook(raw, undefined))).equal("signature_invalid");
    const payload = "not JSON";
    const right = webhooks.generateTestHeaderString({ payload, secret: SECRET });
    expect(code(() => stripe.readHook(Buffer.from(payload), right))).equal("validation_failed");
  });

  it("reports in our words", () => {
    const session = {
      payment_status: "paid",
      amount_total: 499,
      currency: "usd",
      subscription: "sub_1",
      payment_intent: null,
    };
    const paid = (object: object) => read({ type: "checkout.session.completed", data: { object } });
    expect(paid({ ...session, metadata })).deep.equal({
      id: "evt_1",
      type: "checkout.completed",
      created_at: new Date(created * 1_000).toISOString(),
      data: { amount_cents: 499, currency: "USD", platform_id: "sub_1", checkout_id: order.checkoutId },
    });
    expect(paid({ ...session, payment_status: "unpaid", metadata })).equal(null);
    expect(paid({ ...session, metadata: {} })).equal(null);
    const tip = {
      ...session,
      subscription: null,
      payment_intent: "pi_1",
      metadata: { ...metadata, tip_id: TIP_ID },
    };
    expect(paid(tip)).deep.include({ type: "tip.completed" });
    expect(paid(tip)?.data).include({ tip_id: TIP_ID, platform_id: "pi_1" });

    const parent = { subscription_details: { metadata, subscription: "sub_1" } };
    const invoice = { billing_reason: "subscription_cycle", amount_paid: 499, currency: "usd", parent };
    const invoiced = (type: string, change = {}) =>
      read({ type, data: { object: { ...invoice, ...change } } });
    const of = { ...metadata, platform_id: "sub_1" };
    expect(invoiced("invoice.paid")).deep.include({ type: "subscription.renewed" });
    expect(invoiced("invoice.paid")?.data).deep.equal({ ...of, amount_cents: 499, currency: "USD" });
    expect(invoiced("invoice.payment_failed")?.data).deep.equal(of);
    expect(invoiced("invoice.paid", { billing_reason: "subscription_create" })).equal(null);
    expect(invoiced("invoice.paid", { billing_reason: "subscription_update" })).equal(null);

    const updated = (before: object) =>
      read({
        type: "customer.subscription.updated",
        data: { object: { id: "sub_1", metadata, cancel_at_period_end: true }, previous_attributes: before },
      });
    expect(updated({ cancel_at_period_end: false })?.type).equal("subscription.cancelled");
    expect(updated({ default_payment_method: null })).equal(null);
    const refunded = { refunded: true, metadata: { tip_id: TIP_ID } };
    expect(read({ type: "charge.refunded", data: { object: refunded } })?.data).deep.equal({
      tip_id: TIP_ID,
    });
    const charged = { object: "charge", refunded: true, payment_intent: "pi_1", amount: 499, metadata: {} };
    const reversal = (type: string, object: object) => {
      const report = read({ type, data: { object } });
      return [report?.type, report?.data];
    };
    const reversed = { amount_cents: 499, platform_id: "pi_1" };
    expect(reversal("charge.refunded", charged)).deep.equal([
      "payment.reversed",
      { how: "refunded", ...reversed },
    ]);
    expect(reversal("charge.refunded", { ...charged, metadata })).deep.equal([
      "payment.reversed",
      { how: "refunded", ...reversed, ...metadata },
    ]);
    expect(read({ type: "charge.refunded", data: { object: { ...charged, refunded: false } } })).equal(null);
    const dispute = { object: "dispute", payment_intent: "pi_1", amount: 499, metadata: {} };
    expect(reversal("charge.dispute.created", dispute)).deep.equal([
      "payment.reversed",
      { how: "disputed", ...reversed },
    ]);
    expect(read({ type: "payment_method.attached", data: { object: {} } })).equal(null);
  });
});
