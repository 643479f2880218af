/** What one fact, or the time alone, makes of a standing. */
import type { Fact, FactOf } from "./facts.ts";
import { atPlan, firstPaid, paidUntil, withGift, withMonth } from "./paid-time.ts";
import { GRACE_MS, type Standing } from "./standing.ts";

/** What happens when the time has come at which it changes by itself. */
export function lapsed(standing: Standing): Standing {
  if (standing.status === "active" && standing.priceCents !== null)
    return { ...standing, status: "past_due", graceUntil: paidUntil(standing) + GRACE_MS };
  return over(standing, standing.graceUntil ?? paidUntil(standing));
}

const over = (standing: Standing, endedAt: number): Standing => ({
  ...standing,
  status: "expired",
  graceUntil: null,
  endedAt,
});

/** Null for what no subscription begins with. */
export function begun(fact: Fact): Standing | null {
  if (fact.type !== "paid") return null;
  return {
    status: "active",
    startedAt: fact.happenedAt,
    tier: fact.tier,
    priceCents: fact.isGift ? null : fact.priceCents,
    next: null,
    ...firstPaid(fact.isGift, fact.priceCents, fact.happenedAt),
    giftedBy: fact.giftedBy,
    platformId: fact.platformId,
    graceUntil: null,
    cancelledAt: null,
    endedAt: null,
    unconfirmed: 0,
    unbooked: [],
  };
}

export function applyFact(before: Standing, fact: Fact): Standing {
  if (before.status === "expired") return isPayment(fact) ? unbooked(before, fact) : before;
  if ("platformId" in fact && fact.type !== "paid" && isOfAnother(before, fact.platformId))
    return isPayment(fact) ? unbooked(before, fact) : before;
  switch (fact.type) {
    case "paid":
      return fact.isGift ? gifted(before, fact) : paidAgain(before, fact);
    case "renewed":
      return renewed(before, fact);
    case "paymentFailed":
      return before.status === "active" && before.priceCents !== null
        ? {
            ...before,
            status: "past_due",
            graceUntil: Math.max(fact.happenedAt, paidUntil(before)) + GRACE_MS,
          }
        : before;
    case "stopped":
      return before.unconfirmed > 0
        ? { ...before, unconfirmed: before.unconfirmed - 1 }
        : cancelled(before, fact.happenedAt);
    case "ended":
      // Of one that was cancelled the end is known; a gift may have put it off here.
      return before.status === "cancelled" || before.priceCents === null
        ? before
        : over(before, fact.happenedAt);
    case "cancel":
      return before.status === "active" || before.status === "past_due"
        ? {
            ...cancelled(before, fact.happenedAt),
            unconfirmed: before.unconfirmed + (before.platformId ? 1 : 0),
          }
        : before;
    case "resume":
      return before.status === "cancelled" ? { ...before, status: "active", cancelledAt: null } : before;
    case "downgrade":
      return {
        ...before,
        next: fact.tier === before.tier ? null : { tier: fact.tier, priceCents: fact.priceCents },
      };
  }
}

const isPayment = ({ type }: Fact) => type === "paid" || type === "renewed";

const isOfAnother = ({ platformId }: Standing, named: string | null) =>
  platformId !== null && named !== null && platformId !== named;

const unbooked = (before: Standing, { id }: Fact): Standing => ({
  ...before,
  unbooked: before.unbooked.length < 64 ? [...before.unbooked, id] : before.unbooked,
});

/** What was paid for stays; where a payment is missing there is nothing left of it. */
function cancelled(before: Standing, at: number): Standing {
  if (before.status === "past_due") return { ...over(before, at), cancelledAt: at };
  return before.status === "active" ? { ...before, status: "cancelled", cancelledAt: at } : before;
}

/** Extends what there is; the tier rises where nothing is billed that it would have to agree with. */
function gifted(before: Standing, fact: FactOf<"paid">): Standing {
  const rises = before.priceCents === null && fact.tier > before.tier;
  const held = rises || fact.tier === before.tier ? atPlan(before, fact, fact.happenedAt) : before;
  const after = { ...withGift(held, fact), giftedBy: fact.giftedBy };
  // It isn't the payment that is missing: there is one grace, which moves with what was paid.
  const moved = paidUntil(after) - paidUntil(before);
  const graceUntil = before.graceUntil === null ? null : before.graceUntil + moved;
  return settled({ ...after, graceUntil }, fact.happenedAt);
}

/** The newest checkout is what holds and what is billed from now on. */
function paidAgain(before: Standing, fact: FactOf<"paid">): Standing {
  return {
    ...withMonth(atPlan(before, fact, fact.happenedAt), fact.happenedAt),
    ...{ status: "active", priceCents: fact.priceCents, next: null, platformId: fact.platformId },
    ...{ cancelledAt: null, graceUntil: null, unconfirmed: 0 },
  };
}

function renewed(before: Standing, fact: FactOf<"renewed">): Standing {
  const { tier, priceCents, next } = before;
  const owed = [next, priceCents === null ? null : { tier, priceCents }];
  const plan = owed.find((one) => one?.priceCents === fact.amountCents);
  if (!plan) return unbooked(before, fact);
  const held = { ...atPlan(before, plan, fact.happenedAt), ...plan, next: plan === next ? null : next };
  return settled({ ...held, months: held.months + 1 }, fact.happenedAt);
}

/** After a payment nothing is missing, unless it was for a time that is past. */
function settled(standing: Standing, at: number): Standing {
  if (standing.status !== "past_due" || paidUntil(standing) <= at) return standing;
  return { ...standing, status: "active", graceUntil: null };
}
