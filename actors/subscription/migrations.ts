import { monthsAfter } from "./paid-time.ts";

/**
 * From version 1 to 2, which keeps paid time by what it cost. What had come out by version 1's rules stays: its facts are summed
 * up, since by the new ones they would come to something else. Whatever isn't of version 1's form is refused after it.
 */
export function withPaidTime(snapshot: unknown): unknown {
  const context = field(snapshot, "context");
  const facts = field(context, "facts");
  if (!isObject(snapshot) || !isObject(context) || !Array.isArray(facts)) return snapshot;
  const monthCents = facts.map((fact) => field(fact, "priceCents")).find(isCount);
  const standing = timed(field(context, "standing"), monthCents);
  const times = facts.map((fact) => field(fact, "happenedAt")).filter(isCount);
  const at = Math.max(0, ...times);
  return { ...snapshot, context: { ...context, base: { at, standing }, facts: [], standing } };
}

/** What gifts had brought beside the months is part of when those end. */
function timed(standing: unknown, otherwise: number | undefined): unknown {
  if (!isObject(standing)) return standing;
  const { months, giftedMs, startedAt, priceCents, ...rest } = standing;
  if (!isCount(months) || !isCount(giftedMs) || !isCount(startedAt)) return standing;
  const monthCents = isCount(priceCents) ? priceCents : (otherwise ?? 0);
  return {
    ...{ ...rest, startedAt, priceCents, monthCents },
    ...{ paidFrom: monthsAfter(startedAt, months) + giftedMs, months: 0 },
  };
}

const isCount = (value: unknown): value is number => typeof value === "number";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const field = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
