/** Paid time. It is stored with what it cost, so that nobody gets a tier for the price of a cheaper one. */
import { DAY_MS } from "../../../base/durations.ts";
import { count, exactly, type Static } from "../../host/schemas.ts";

/** The time that a gift adds at its own tier. */
const GIFT_MS = 30 * DAY_MS;

export const paidTime = {
  /** `months` are counted from here, Unix ms. */
  paidFrom: count,
  months: count,
  /** What a month of the remaining time cost; the lowest price if payments for the same tier differed. */
  monthCents: count,
};
const schema = exactly(paidTime);
type PaidTime = Static<typeof schema>;
type Held = PaidTime & { tier: number };
type Plan = { tier: number; priceCents: number };

/** The end of the paid time, Unix ms. */
export const paidUntil = ({ paidFrom, months }: PaidTime): number => monthsAfter(paidFrom, months);

/** The paid time after the first payment. */
export const firstPaid = (isGift: boolean, monthCents: number, at: number): PaidTime =>
  isGift ? { paidFrom: at + GIFT_MS, months: 0, monthCents } : { paidFrom: at, months: 1, monthCents };

/** Converts to another tier: the value of the remaining time buys time at the new tier's price. */
export function convertToTier<T extends Held>(held: T, { tier, priceCents }: Plan, at: number): T {
  const left = paidUntil(held) - at;
  if (left <= 0) return { ...held, tier, monthCents: priceCents };
  if (tier === held.tier) return { ...held, monthCents: Math.min(held.monthCents, priceCents) };
  const paidFrom = at + converted(left, held.monthCents, priceCents);
  return { ...held, tier, paidFrom, months: 0, monthCents: priceCents };
}

/** Adds a checkout's month. It comes first and the remaining time after it; the platform bills again at the end of both. */
export function withMonth<T extends Held>(held: T, at: number): T {
  const left = paidUntil(held) - at;
  return left > 0
    ? { ...held, paidFrom: monthsAfter(at, 1) + left, months: 0 }
    : { ...held, paidFrom: at, months: 1 };
}

/** Adds a gift's days at its own tier; at another tier, the time that its price pays for. */
export function withGift<T extends Held>(held: T, { tier, priceCents }: Plan): T {
  const addedMs = tier === held.tier ? GIFT_MS : converted(GIFT_MS, priceCents, held.monthCents);
  return { ...held, paidFrom: paidUntil(held) + addedMs, months: 0 };
}

/** Whole milliseconds, rounded down. BigInt, because the product exceeds the safe integers. */
const converted = (ms: number, fromCents: number, toCents: number): number =>
  Number((BigInt(ms) * BigInt(fromCents)) / BigInt(Math.max(1, toCents)));

/** The same day of a later month, or that month's last day, UTC. */
export function monthsAfter(from: number, months: number): number {
  const start = new Date(from);
  const target = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0);
  const day = Math.min(start.getUTCDate(), new Date(target).getUTCDate());
  const midnight = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, day);
  return midnight + (from % DAY_MS);
}
