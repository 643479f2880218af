/** A subscription's standing, and until when it lasts. */

import Type from "typebox";
import { DAY_MS } from "../../../base/durations.ts";
import { count, exactly, identifier, orNull, type Static } from "../../host/schemas.ts";
import { tier } from "./facts.ts";
import { paidTime, paidUntil } from "./paid-time.ts";

/** How long after a renewal is due its payment may be reported before it counts as missing. */
const REPORT_DELAY_MS = DAY_MS;
/** The grace period: how long the subscriber stays entitled while a payment is missing. */
export const GRACE_MS = 7 * DAY_MS;

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
  /** The price of each renewal; null for a pure gift. */
  priceCents: orNull(count),
  /** The plan from the next renewal on; null for no change. */
  next: orNull(exactly(plan)),
  ...paidTime,
  giftedBy: orNull(identifier),
  /** The platform's id of what it bills now; null for gifts. */
  platformId: orNull(identifier),
  /** Set while a payment is missing. */
  graceUntil: orNull(count),
  cancelledAt: orNull(count),
  endedAt: orNull(count),
  /** How many cancellations were sent to the platform and aren't confirmed yet. */
  unconfirmed: count,
  /** Ids of facts that couldn't be booked: payments that weren't owed. */
  unbooked: Type.Array(identifier, { maxItems: 64 }),
});
export type Standing = Static<typeof standing>;

/** Whether it was cancelled after its renewal was due and before that was reported: the payment may still come. */
export const awaitsRenewal = (standing: Standing): boolean =>
  standing.status === "cancelled" &&
  standing.priceCents !== null &&
  standing.cancelledAt !== null &&
  standing.cancelledAt >= paidUntil(standing);

/** Until when the subscriber is entitled if nothing else happens, Unix ms. */
export function entitledUntil(standing: Standing): number {
  if (standing.status === "expired") return standing.endedAt ?? 0;
  if (standing.graceUntil !== null) return standing.graceUntil;
  const renews = standing.status === "active" && standing.priceCents !== null;
  if (awaitsRenewal(standing)) return paidUntil(standing) + REPORT_DELAY_MS;
  return paidUntil(standing) + (renews ? GRACE_MS : 0);
}

/** When the standing next changes by time alone, Unix ms; null for never. */
export function changesAt(standing: Standing): number | null {
  switch (standing.status) {
    case "active":
      return paidUntil(standing) + (standing.priceCents === null ? 0 : REPORT_DELAY_MS);
    case "past_due":
      return standing.graceUntil;
    case "cancelled":
      return paidUntil(standing) + (awaitsRenewal(standing) ? REPORT_DELAY_MS : 0);
    case "expired":
      return null;
  }
}
