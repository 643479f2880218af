import { isObject } from "../../../contract/json.ts";
import { withContext } from "../../host/with-context.ts";
import { monthsAfter } from "./paid-time.ts";

/**
 * From version 1 to 2, which stores what paid time cost. Results of version 1's rules are kept: its facts are compacted into the
 * base, since a replay by the new rules would give another result. A snapshot that isn't in version 1's format is returned as it
 * is, and fails validation afterwards.
 */
export const withPaidTime = (snapshot: unknown): unknown =>
  withContext(snapshot, ({ facts, standing }) => {
    if (!Array.isArray(facts)) return null;
    const monthCents = facts.map((fact) => field(fact, "priceCents")).find(isCount);
    const kept = timed(standing, monthCents);
    const times = facts.map((fact) => field(fact, "happenedAt")).filter(isCount);
    const at = Math.max(0, ...times);
    return { base: { at, standing: kept }, facts: [], standing: kept };
  });

/** Time added by gifts, which version 1 stored separately, becomes part of `paidFrom`. */
function timed(standing: unknown, otherwise: number | undefined): unknown {
  if (!isObject(standing)) return standing;
  const { months, giftedMs, startedAt, priceCents, ...rest } = standing;
  if (!isCount(months) || !isCount(giftedMs) || !isCount(startedAt)) return standing;
  const monthCents = isCount(priceCents) ? priceCents : (otherwise ?? 0);
  return {
    ...rest,
    startedAt,
    priceCents,
    monthCents,
    paidFrom: monthsAfter(startedAt, months) + giftedMs,
    months: 0,
  };
}

const isCount = (value: unknown): value is number => typeof value === "number";
const field = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
