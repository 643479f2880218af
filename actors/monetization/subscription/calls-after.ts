import type { PlatformCall } from "../../../store/mongo/monetization/platform-calls.ts";
import type { Fact, FactOf } from "./facts.ts";
import { monthsAfter, paidUntil } from "./paid-time.ts";
import { awaitsRenewal, type Standing } from "./standing.ts";

/** The calls to the platform that a change requires; `fact` is the fact booked, null when only time has passed. */
export function callsAfter(before: Standing, after: Standing, fact: Fact | null): PlatformCall[] {
  const platformId = after.platformId;
  if (fact?.type === "paid")
    return [...replaced(before, after, fact.platformId), ...postponed(before, after, fact)];
  if (platformId === null) return [];
  // It would be billed without end for something that nobody gets.
  if (fact?.type === "resumed")
    return after.status === "expired" ? [{ kind: "end", platformId: fact.platformId ?? platformId }] : [];
  const isOver = after.status === "expired" && before.status !== "expired";
  // Time alone can also expire an active one, if nothing evaluated it while its payment was missing.
  const isUnpaid =
    before.status === "past_due" || awaitsRenewal(before)
      ? fact?.type !== "ended"
      : before.status === "active" && !fact;
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

/** Only one thing is billed at a time: ends the previous one, or one reported late that isn't the newest. */
function replaced(before: Standing, after: Standing, paidFor: string | null): PlatformCall[] {
  const others = new Set([before.platformId, paidFor].filter((id) => id !== null && id !== after.platformId));
  return [...others].flatMap((id) => (id === null ? [] : [{ kind: "end" as const, platformId: id }]));
}

/**
 * Postpones the platform's next billing when the paid time lasts longer than it knows: it knows a month from its checkout, or
 * the paid time before a gift.
 */
function postponed(before: Standing, after: Standing, fact: FactOf<"paid">): PlatformCall[] {
  const { platformId } = after;
  const until = paidUntil(after);
  const known = fact.isGift ? paidUntil(before) : monthsAfter(fact.happenedAt, 1);
  return platformId === null || until <= known ? [] : [{ kind: "postpone", platformId, until }];
}
