/** How a subscription stands, and until when. */
import Type from "typebox";
import { count, exactly, orNull, type Static, word } from "../host/schemas.ts";
import { tier } from "./facts.ts";
import { paidTime, paidUntil } from "./paid-time.ts";

const DAY_MS = 86_400_000;
/** How long after the due renewal its payment may be reported before it counts as missing. */
const PATIENCE_MS = DAY_MS;
/** Entitled without a payment. */
export const GRACE_MS = 7 * DAY_MS;

export const STATUSES = ["active", "past_due", "cancelled", "expired"] as const;
export type SubscriptionStatus = (typeof STATUSES)[number];

const plan = { tier, priceCents: count };

export const standing = exactly({
  status: Type.Union([
    Type.Literal("active"),
    Type.Literal("past_due"),
    Type.Literal("cancelled"),
    Type.Literal("expired"),
  ]),
  startedAt: count,
  tier,
  /** What each renewal costs; null while it is a gift alone. */
  priceCents: orNull(count),
  /** From the next renewal on. */
  next: orNull(exactly(plan)),
  ...paidTime,
  giftedBy: orNull(word),
  /** What the platform bills now; null for gifts. */
  platformId: orNull(word),
  /** Set while a payment is missing. */
  graceUntil: orNull(count),
  cancelledAt: orNull(count),
  endedAt: orNull(count),
  /** Cancellations that the platform was told of and hasn't confirmed. */
  unconfirmed: count,
  /** Facts that could not be booked: a payment that wasn't owed, by id. */
  unbooked: Type.Array(word, { maxItems: 64 }),
});
export type Standing = Static<typeof standing>;

/** Until when the subscriber is entitled if nothing more happens. */
export function entitledUntil(standing: Standing): number {
  if (standing.status === "expired") return standing.endedAt ?? 0;
  if (standing.graceUntil !== null) return standing.graceUntil;
  const renews = standing.status === "active" && standing.priceCents !== null;
  return paidUntil(standing) + (renews ? GRACE_MS : 0);
}

/** When the standing changes by itself; null for never. */
export function changesAt(standing: Standing): number | null {
  switch (standing.status) {
    case "active":
      return paidUntil(standing) + (standing.priceCents === null ? 0 : PATIENCE_MS);
    case "past_due":
      return standing.graceUntil;
    case "cancelled":
      return paidUntil(standing);
    case "expired":
      return null;
  }
}
