import type { PlatformCall } from "../../store/mongo/platform-calls.ts";
import type { Fact, FactOf } from "./facts.ts";
import { monthsAfter, paidUntil } from "./paid-time.ts";
import type { Standing } from "./standing.ts";

/** What the platform has to be told after a change; `fact` is what was booked with it, null for time that passed. */
export function callsAfter(before: Standing, after: Standing, fact: Fact | null): PlatformCall[] {
  const platformId = after.platformId;
  if (fact?.type === "paid")
    return [...replaced(before, after, fact.platformId), ...postponed(before, after, fact)];
  if (platformId === null) return [];
  const isOver = after.status === "expired" && before.status !== "expired";
  // By time alone also one that was active: nobody looked while its payment was missing.
  const isUnpaid =
    before.status === "past_due" ? fact?.type !== "ended" : before.status === "active" && !fact;
  if (isOver) return isUnpaid ? [{ kind: "end", platformId }] : [];
  switch (fact?.type) {
    case "cancel":
      return [{ kind: "stop", platformId }];
    case "resume":
      return [{ kind: "resume", platformId }];
    case "downgrade": {
      const { tier, priceCents } = after.next ?? after;
      return priceCents === null ? [] : [{ kind: "changePlan", platformId, tier, priceCents }];
    }
    default:
      return [];
  }
}

/** One thing is billed at a time: what was before, or what is reported late and isn't the newest, ends. */
function replaced(before: Standing, after: Standing, paidFor: string | null): PlatformCall[] {
  const others = new Set([before.platformId, paidFor].filter((id) => id !== null && id !== after.platformId));
  return [...others].flatMap((id) => (id === null ? [] : [{ kind: "end" as const, platformId: id }]));
}

/** What was paid for lasts longer than the platform knows: a month from its checkout, or what there was before a gift. */
function postponed(before: Standing, after: Standing, fact: FactOf<"paid">): PlatformCall[] {
  const { platformId } = after;
  const until = paidUntil(after);
  const known = fact.isGift ? paidUntil(before) : monthsAfter(fact.happenedAt, 1);
  return platformId === null || until <= known ? [] : [{ kind: "postpone", platformId, until }];
}
