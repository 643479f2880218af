/** A checkout as the payment platform gets it, and as the payer does. */
import type { CheckoutSession } from "../../../contract/wire.ts";
import type { CheckoutDoc } from "../../../store/mongo/monetization/checkouts.ts";
import type { CheckoutOrder } from "./platform.ts";

export function orderOf({
  _id: checkoutId,
  order,
  amountCents,
  currency,
}: CheckoutDoc): Omit<CheckoutOrder, "title" | "channel" | "confirm" | "returnTo"> {
  return {
    checkoutId,
    amountCents,
    currency,
    isRecurring: order.kind === "subscription",
    subscriptionId: order.kind === "tip" ? null : order.subscriptionId,
    tipId: order.kind === "tip" ? order.tipId : null,
  };
}

/**
 * With the ids by which reports name it. A subscription's isn't among them: a gift's would tell the giver about the receiver's, and a
 * payment may go to another.
 */
export const sessionView = (
  { _id, order }: Pick<CheckoutDoc, "_id" | "order">,
  { url, clientSecret, expiresAt }: NonNullable<CheckoutDoc["session"]>,
): CheckoutSession => ({
  checkout_id: _id,
  ...(order.kind === "tip" ? { tip_id: order.tipId } : {}),
  checkout_url: url,
  client_secret: clientSecret,
  provider: "stripe",
  expires_at: expiresAt.toISOString(),
});
