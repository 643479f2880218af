/** How far payments reach. Time is kept by what it cost, so that no tier is had for the price of another. */
import { count, exactly, type Static } from "../host/schemas.ts";

const DAY_MS = 86_400_000;
/** What a gift brings at the tier that it is of. */
const GIFT_MS = 30 * DAY_MS;

export const paidTime = {
  /** Months are counted from here. */
  paidFrom: count,
  months: count,
  /** What a month of what is left cost; the least, where payments for the same tier differed. */
  monthCents: count,
};
const schema = exactly(paidTime);
type PaidTime = Static<typeof schema>;
type Held = PaidTime & { tier: number };
type Plan = { tier: number; priceCents: number };

/** Until when what was paid for lasts. */
export const paidUntil = ({ paidFrom, months }: PaidTime): number => monthsAfter(paidFrom, months);

/** What the first payment brings. */
export const firstPaid = (isGift: boolean, monthCents: number, at: number): PaidTime =>
  isGift ? { paidFrom: at + GIFT_MS, months: 0, monthCents } : { paidFrom: at, months: 1, monthCents };

/** At another tier, what is left is as long as its price pays for there. */
export function atPlan<T extends Held>(held: T, { tier, priceCents }: Plan, at: number): T {
  const left = paidUntil(held) - at;
  if (left <= 0) return { ...held, tier, monthCents: priceCents };
  if (tier === held.tier) return { ...held, monthCents: Math.min(held.monthCents, priceCents) };
  const paidFrom = at + converted(left, held.monthCents, priceCents);
  return { ...held, tier, paidFrom, months: 0, monthCents: priceCents };
}

/** The month of a checkout, and after it what was left: that is when the platform bills again. */
export function withMonth<T extends Held>(held: T, at: number): T {
  const left = paidUntil(held) - at;
  return left > 0
    ? { ...held, paidFrom: monthsAfter(at, 1) + left, months: 0 }
    : { ...held, paidFrom: at, months: 1 };
}

/** A gift's days at its own tier; at another as many as its price pays for. */
export function withGift<T extends Held>(held: T, { tier, priceCents }: Plan): T {
  const brought = tier === held.tier ? GIFT_MS : converted(GIFT_MS, priceCents, held.monthCents);
  return { ...held, paidFrom: paidUntil(held) + brought, months: 0 };
}

/** Whole milliseconds, rounded down; the product is beyond what a number holds exactly. */
const converted = (ms: number, fromCents: number, toCents: number): number =>
  Number((BigInt(ms) * BigInt(fromCents)) / BigInt(Math.max(1, toCents)));

/** The same day of a later month, or its last one, UTC. */
export function monthsAfter(from: number, months: number): number {
  const start = new Date(from);
  const target = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0);
  const day = Math.min(start.getUTCDate(), new Date(target).getUTCDate());
  const midnight = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, day);
  return midnight + (from % DAY_MS);
}
