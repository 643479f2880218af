import type { Static } from "../../host/schemas.ts";
import { type BillingEvent, HookUnreadable } from "./platform.ts";
import {
  CHARGE,
  type EVENT,
  INVOICE,
  idOf,
  type Metadata,
  ourIdsIn,
  PAID_SESSION,
  REVERSAL,
  readAs,
  SCHEDULE,
  SESSION,
  SUBSCRIPTION,
  UPDATE,
} from "./stripe-objects.ts";

type StripeEvent = Static<typeof EVENT>;
type EventBody = { type: string; data: Record<string, unknown> };
type Ids = { metadata: Metadata; platformId: string | null };

/**
 * Translates Stripe's event to our format; null for types that we don't handle, and for objects that aren't ours: their metadata
 * lacks our ids, or has another system's under the same names. Throws `HookUnreadable` for a handled type whose object has a form that
 * we don't know.
 */
export function billingEventOf(event: StripeEvent): BillingEvent | null {
  const body = bodyOf(event);
  if (!body) return null;
  return { id: event.id, created_at: new Date(event.created * 1_000).toISOString(), ...body };
}

function bodyOf({ type, data }: StripeEvent): EventBody | null {
  const { object } = data;
  switch (type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return paidBy(type, object);
    case "checkout.session.async_payment_failed": {
      const { checkout_id } = ourIdsIn(readAs(SESSION, type, object).metadata);
      return checkout_id ? { type: "checkout.failed", data: { checkout_id } } : null;
    }
    case "invoice.paid":
    case "invoice.payment_failed":
      return ofInvoice(type, object);
    case "customer.subscription.updated": {
      const subscription = readAs(SUBSCRIPTION, type, object);
      const change = scheduledBy(type, data);
      return change && ofSubscription(change, { ...subscription, platformId: subscription.id });
    }
    case "customer.subscription.deleted": {
      const subscription = readAs(SUBSCRIPTION, type, object);
      return ofSubscription("subscription.expired", { ...subscription, platformId: subscription.id });
    }
    case "charge.refunded": {
      const { refunded, metadata } = readAs(CHARGE, type, object);
      if (!refunded) return null;
      const { tip_id } = ourIdsIn(metadata);
      if (tip_id) return { type: "tip.refunded", data: { tip_id } };
      return reversed("refunded", readAs(REVERSAL, type, object), metadata);
    }
    case "charge.dispute.created":
      return reversed("disputed", readAs(REVERSAL, type, object), null);
    default:
      return null;
  }
}

/** A session may complete before its payment arrives; then another event follows. */
function paidBy(type: string, object: unknown): EventBody | null {
  const { payment_status, metadata } = readAs(SESSION, type, object);
  const { checkout_id, tip_id } = ourIdsIn(metadata);
  if (payment_status !== "paid" || !checkout_id) return null;
  const session = readAs(PAID_SESSION, type, object);
  const paid = { amount_cents: session.amount_total, currency: session.currency.toUpperCase() };
  const platformId = idOf(session.subscription ?? session.payment_intent);
  const data = { ...paid, ...platformIdField(platformId) };
  return tip_id
    ? { type: "tip.completed", data: { ...data, tip_id } }
    : { type: "checkout.completed", data: { ...data, checkout_id } };
}

/** Only renewals: the first invoice belongs to the checkout, and invoices for changes of plan are free here. */
function ofInvoice(type: string, object: unknown): EventBody | null {
  const invoice = readAs(INVOICE, type, object);
  if (invoice.billing_reason !== "subscription_cycle") return null;
  const ids = subscriptionOf(type, invoice);
  if (type === "invoice.payment_failed") return ofSubscription("subscription.payment_failed", ids);
  const paid = { amount_cents: invoice.amount_paid, currency: invoice.currency.toUpperCase() };
  return ofSubscription("subscription.renewed", ids, paid);
}

/** Since 2025-03-31 an invoice's subscription is its parent; before, it is named by the invoice itself, and its metadata by the lines. */
function subscriptionOf(type: string, invoice: Static<typeof INVOICE>): Ids {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const platformId = idOf(details?.subscription ?? invoice.subscription);
  const lines = (invoice.lines?.data ?? []).map((line) => line.metadata);
  // The snapshot of the subscription's metadata may be null or empty where its lines have ours.
  const known = [details?.metadata, ...lines].filter((one) => one !== undefined);
  const metadata = known.find(hasOurs) ?? known[0];
  if (platformId === null || metadata === undefined)
    throw new HookUnreadable(`${type}: the invoice of a renewal names no subscription`);
  return { metadata, platformId };
}

const hasOurs = (metadata: Metadata | undefined): boolean => ourIdsIn(metadata).subscription_id !== undefined;

/**
 * What this update says about renewals: that no more follow, that they follow again, or null. That a period rolls over to the last one
 * isn't a cancellation: it has yet to be paid, and `customer.subscription.deleted` follows it.
 */
function scheduledBy(
  type: string,
  data: StripeEvent["data"],
): "subscription.cancelled" | "subscription.resumed" | null {
  const { previous_attributes: changed } = readAs(UPDATE, type, data);
  const now = readAs(SCHEDULE, type, data.object);
  if (changed.cancel_at === undefined && changed.cancel_at_period_end === undefined) return null;
  const before = { ...now, ...changed };
  if (!isLastPeriod(now)) return isLastPeriod(before) ? "subscription.resumed" : null;
  // The flag also confirms a cancellation of ours in the last period before a date.
  const isFlagged = now.cancel_at_period_end && !before.cancel_at_period_end;
  return isFlagged || !isLastPeriod(before) ? "subscription.cancelled" : null;
}

/**
 * `cancel_at` alone is how the customer portal and schedules cancel. A date behind the current period isn't a cancellation yet:
 * renewals are paid until then.
 */
function isLastPeriod({
  cancel_at_period_end,
  cancel_at,
  current_period_end,
  items,
}: Partial<Static<typeof SCHEDULE>>): boolean {
  if (cancel_at_period_end) return true;
  if (cancel_at === null || cancel_at === undefined) return false;
  const ends = [current_period_end, ...(items?.data ?? []).map((item) => item.current_period_end)];
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 || cancel_at <= Math.max(...known);
}

function ofSubscription(
  type: string,
  { metadata, platformId }: Ids,
  more: Record<string, unknown> = {},
): EventBody | null {
  const { checkout_id, subscription_id } = ourIdsIn(metadata);
  if (!checkout_id || !subscription_id) return null;
  return { type, data: { checkout_id, subscription_id, ...platformIdField(platformId), ...more } };
}

/** Stripe names only the payment: disputes and charges of renewals don't carry our ids. */
function reversed(
  how: string,
  { payment_intent, amount }: Static<typeof REVERSAL>,
  metadata: Metadata,
): EventBody {
  const { checkout_id, subscription_id } = ourIdsIn(metadata);
  const ours = checkout_id && subscription_id ? { checkout_id, subscription_id } : {};
  const data = { how, amount_cents: amount, ...platformIdField(idOf(payment_intent)), ...ours };
  return { type: "payment.reversed", data };
}

const platformIdField = (platformId: string | null) =>
  platformId === null ? {} : { platform_id: platformId };
