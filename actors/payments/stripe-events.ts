import type Stripe from "stripe";
import type { BillingEvent } from "./platform.ts";

type EventBody = { type: string; data: Record<string, unknown> };

/** Translates Stripe's event to our format; null for types that we don't handle, and for objects that aren't ours. */
export function billingEventOf(event: Stripe.Event): BillingEvent | null {
  const body = bodyOf(event);
  if (!body) return null;
  return { id: event.id, created_at: new Date(event.created * 1_000).toISOString(), ...body };
}

function bodyOf(event: Stripe.Event): EventBody | null {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return paidBy(event.data.object);
    case "invoice.paid":
      return ofInvoice(event.data.object, "subscription.renewed");
    case "invoice.payment_failed":
      return ofInvoice(event.data.object, "subscription.payment_failed");
    case "customer.subscription.updated": {
      const { object, previous_attributes: before } = event.data;
      const isCancelled = object.cancel_at_period_end && before?.cancel_at_period_end === false;
      return isCancelled ? ofSubscription("subscription.cancelled", object.metadata, object.id) : null;
    }
    case "customer.subscription.deleted":
      return ofSubscription("subscription.expired", event.data.object.metadata, event.data.object.id);
    case "charge.refunded": {
      const { refunded, metadata } = event.data.object;
      if (!refunded) return null;
      if (metadata.tip_id) return { type: "tip.refunded", data: { tip_id: metadata.tip_id } };
      return reversed("refunded", event.data.object, metadata);
    }
    case "charge.dispute.created":
      return reversed("disputed", event.data.object, {});
    default:
      return null;
  }
}

/** A session may complete before its payment arrives; then another event follows. */
function paidBy({ payment_status, metadata, ...session }: Stripe.Checkout.Session): EventBody | null {
  if (payment_status !== "paid" || !metadata?.checkout_id) return null;
  const paid = { amount_cents: session.amount_total ?? 0, currency: (session.currency ?? "").toUpperCase() };
  const platformId = idOf(session.subscription ?? session.payment_intent);
  const data = { ...paid, ...(platformId === null ? {} : { platform_id: platformId }) };
  return metadata.tip_id
    ? { type: "tip.completed", data: { ...data, tip_id: metadata.tip_id } }
    : { type: "checkout.completed", data: { ...data, checkout_id: metadata.checkout_id } };
}

/** Only renewals: the first invoice belongs to the checkout, and invoices for changes of plan are free here. */
function ofInvoice(invoice: Stripe.Invoice, type: string): EventBody | null {
  const details = invoice.parent?.subscription_details;
  if (invoice.billing_reason !== "subscription_cycle" || !details) return null;
  const paid =
    type === "subscription.renewed"
      ? { amount_cents: invoice.amount_paid, currency: invoice.currency.toUpperCase() }
      : {};
  return ofSubscription(type, details.metadata, idOf(details.subscription), paid);
}

function ofSubscription(
  type: string,
  metadata: Stripe.Metadata | null,
  platformId: string | null,
  more: Record<string, unknown> = {},
): EventBody | null {
  const { checkout_id, subscription_id } = metadata ?? {};
  if (!checkout_id || !subscription_id) return null;
  const idField = platformId === null ? {} : { platform_id: platformId };
  return { type, data: { checkout_id, subscription_id, ...idField, ...more } };
}

/** Stripe names only the payment: disputes and charges of renewals don't carry our ids. */
function reversed(
  how: string,
  { payment_intent, amount }: Pick<Stripe.Charge | Stripe.Dispute, "payment_intent" | "amount">,
  { checkout_id, subscription_id }: Stripe.Metadata,
): EventBody {
  const platformId = idOf(payment_intent);
  const idField = platformId === null ? {} : { platform_id: platformId };
  const ours = checkout_id && subscription_id ? { checkout_id, subscription_id } : {};
  return { type: "payment.reversed", data: { how, amount_cents: amount, ...idField, ...ours } };
}

const idOf = (reference: string | { id: string } | null): string | null =>
  typeof reference === "string" ? reference : (reference?.id ?? null);
