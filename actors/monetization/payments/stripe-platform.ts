import Stripe from "stripe";
import { processClock } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { PlatformCall } from "../../../store/mongo/monetization/platform-calls.ts";
import { invalidSignature } from "../../hooks/signatures.ts";
import type { Static } from "../../host/schemas.ts";
import {
  type BillingEvent,
  CallRefused,
  type CheckoutOrder,
  type OpenedCheckout,
  type PaymentPlatform,
} from "./platform.ts";
import { returnAddressOf } from "./return-addresses.ts";
import { billingEventOf } from "./stripe-events.ts";
import { EVENT, isOf } from "./stripe-objects.ts";

type StripeSettings = {
  secretKey: string;
  /** A signature by any of them is valid, so that secrets can be rotated. */
  webhookSecrets: readonly string[];
  /** The URL to which payers return whose checkout names none. */
  returnUrl: string;
  /** Replaces Stripe's own server, in specs. */
  server?: { host: string; port: number; protocol: "http" | "https" };
};

const TOLERANCE_S = 300;

/**
 * The API version of our calls and, as docs/payments.md says, of the webhook endpoint. The library's types are those of one version
 * and accept no other, so that a new library makes this line, and what is read of Stripe's objects, somebody's decision.
 */
export const STRIPE_API_VERSION = "2026-10-28.endive";

/** Stripe, over its own library: checkout sessions, subscriptions and signed webhooks. */
export function createStripePlatform({
  secretKey,
  webhookSecrets,
  returnUrl,
  server,
}: StripeSettings): PaymentPlatform {
  const stripe = new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    timeout: PEER_DEADLINES_MS.payment,
    // The default client's timeout begins anew with each byte.
    httpClient: Stripe.createFetchHttpClient(),
    maxNetworkRetries: 1,
    telemetry: false,
    ...server,
  });

  async function openCheckout(order: CheckoutOrder): Promise<OpenedCheckout> {
    const creating = stripe.checkout.sessions
      .create(sessionParams(order, returnUrl), { idempotencyKey: order.checkoutId })
      .catch((err: unknown) => {
        throw unavailable({ cause: err });
      });
    // A second attempt isn't waited for: the payer may send the request again, which gets the same session.
    const session = await withDeadline(creating, performance.now() + PEER_DEADLINES_MS.payment, unavailable);
    return {
      url: order.confirm === "redirect" ? session.url : null,
      clientSecret: order.confirm === "in_place" ? session.client_secret : null,
      expiresAt: new Date(session.expires_at * 1_000),
    };
  }

  async function changePlan(call: Extract<PlatformCall, { kind: "changePlan" }>, idempotencyKey: string) {
    const { items } = await stripe.subscriptions.retrieve(call.platformId);
    const [item] = items.data;
    if (!item) throw new Error(`${call.platformId} bills nothing`);
    const product = typeof item.price.product === "string" ? item.price.product : item.price.product.id;
    const price_data = {
      currency: item.price.currency,
      product,
      recurring: { interval: "month" as const },
      unit_amount: call.priceCents,
    };
    const change = { items: [{ id: item.id, price_data }], proration_behavior: "none" as const };
    await stripe.subscriptions.update(call.platformId, change, { idempotencyKey });
  }

  /**
   * What cancelled it is taken back: a date of its own, as the customer portal sets it, or the end of the period. Each has a key of its
   * own: Stripe refuses a known key with other parameters, and a retry may find another state.
   */
  async function resume(platformId: string, key: string): Promise<void> {
    const { cancel_at, cancel_at_period_end } = await stripe.subscriptions.retrieve(platformId);
    const isByDate = !cancel_at_period_end && typeof cancel_at === "number";
    if (isByDate)
      await stripe.subscriptions.update(
        platformId,
        { cancel_at: "" },
        { idempotencyKey: `${key}:cancel_at` },
      );
    else
      await stripe.subscriptions.update(platformId, { cancel_at_period_end: false }, { idempotencyKey: key });
  }

  async function execute(call: PlatformCall, idempotencyKey: string): Promise<void> {
    const once = { idempotencyKey };
    switch (call.kind) {
      case "stop":
        await stripe.subscriptions.update(call.platformId, { cancel_at_period_end: true }, once);
        return;
      case "resume":
        await resume(call.platformId, idempotencyKey);
        return;
      case "end":
        await unlessDone(stripe.subscriptions.cancel(call.platformId, {}, once), "resource_missing");
        return;
      case "changePlan":
        await changePlan(call, idempotencyKey);
        return;
      case "postpone": {
        const trial_end = Math.ceil(call.until / 1_000);
        await stripe.subscriptions.update(call.platformId, { trial_end, proration_behavior: "none" }, once);
        return;
      }
      case "refund": {
        const refund = { payment_intent: call.platformId, amount: call.amountCents };
        await unlessDone(stripe.refunds.create(refund, once), "charge_already_refunded");
        return;
      }
    }
  }

  return {
    reports: "own",
    openCheckout,

    call: (key, call) =>
      execute(call, key).catch((err: unknown) => {
        throw isFinal(err) ? new CallRefused(`Stripe refused ${call.kind}`, { cause: err }) : err;
      }),

    verifyHook: (raw, signature) => void verified(stripe, webhookSecrets, raw, signature),

    readHook: (raw, signature): BillingEvent | null =>
      billingEventOf(verified(stripe, webhookSecrets, raw, signature)),
  };
}

function sessionParams(order: CheckoutOrder, returnUrl: string): Stripe.Checkout.SessionCreateParams {
  const { checkoutId, subscriptionId, tipId, isRecurring, title, amountCents, currency, confirm } = order;
  const metadata = {
    checkout_id: checkoutId,
    ...(subscriptionId === null ? {} : { subscription_id: subscriptionId }),
    ...(tipId === null ? {} : { tip_id: tipId }),
  };
  const price_data = {
    currency: currency.toLowerCase(),
    unit_amount: amountCents,
    product_data: { name: title },
    ...(isRecurring ? { recurring: { interval: "month" as const } } : {}),
  };
  const [paid, left] = [returnAddressOf(order, "paid"), returnAddressOf(order, "left")];
  return {
    mode: isRecurring ? "subscription" : "payment",
    line_items: [{ quantity: 1, price_data }],
    client_reference_id: checkoutId,
    metadata,
    ...(isRecurring ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
    ...(confirm === "redirect"
      ? { success_url: paid ?? returnUrl, cancel_url: left ?? returnUrl }
      : { ui_mode: "embedded_page", return_url: paid ?? returnUrl }),
  };
}

/**
 * Whether Stripe keeps this answer for the idempotency key. It keeps none where it didn't begin: 409 says that the first request with
 * the key is still under way, after our time limit; 429 that there are too many. With a new key, a call that is under way would be made
 * twice. Of errors of its own it says in a header whether the same key may succeed; other than a 500, they are a proxy's.
 */
function isFinal(err: unknown): boolean {
  if (!(err instanceof Stripe.errors.StripeError) || err.statusCode === undefined) return false;
  const advice = err.headers?.["stripe-should-retry"];
  if (advice !== undefined) return advice !== "true";
  return ![409, 429].includes(err.statusCode) && err.statusCode <= 500;
}

/** Ignores the error that says that the call was done before. */
async function unlessDone(call: Promise<unknown>, doneCode: string): Promise<void> {
  try {
    await call;
  } catch (err) {
    if (!(err instanceof Stripe.errors.StripeError) || err.code !== doneCode) throw err;
  }
}

/** Throws `signature_invalid`, and `validation_failed` for a signed body that isn't an event. */
function verified(
  stripe: Stripe,
  secrets: readonly string[],
  raw: Buffer,
  signature: string | undefined,
): Static<typeof EVENT> {
  for (const secret of signature === undefined ? [] : secrets) {
    try {
      const now = processClock.now();
      const event: unknown = stripe.webhooks.constructEvent(
        raw,
        signature ?? "",
        secret,
        TOLERANCE_S,
        undefined,
        now,
      );
      if (isOf(EVENT, event)) return event;
    } catch (err) {
      if (err instanceof Stripe.errors.StripeSignatureVerificationError) continue;
      throw noEvent({ cause: err });
    }
    throw noEvent();
  }
  throw invalidSignature();
}

const noEvent = (options: { cause?: unknown } = {}) =>
  new ServiceError(
    "validation_failed",
    { errors: [{ path: "/body", rule: "json", message: "must be an event of Stripe" }] },
    options,
  );
