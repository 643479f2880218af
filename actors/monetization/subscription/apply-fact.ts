/** The reducer: how one fact, or the passing of time alone, changes a standing. */
import type { Fact, FactOf } from "./facts.ts";
import { convertToTier, firstPaid, paidUntil, withGift, withMonth } from "./paid-time.ts";
import { awaitsRenewal, GRACE_MS, type Standing } from "./standing.ts";

/** The standing after its due change, at the time of `changesAt`. */
export function afterTimeout(standing: Standing): Standing {
  if (standing.status === "active" && standing.priceCents !== null)
    return { ...standing, status: "past_due", graceUntil: paidUntil(standing) + GRACE_MS };
  return expired(standing, standing.graceUntil ?? paidUntil(standing));
}

const expired = (standing: Standing, endedAt: number): Standing => ({
  ...standing,
  status: "expired",
  graceUntil: null,
  endedAt,
});

/** The standing after the first fact; null for a fact that can't begin a subscription. */
export function initialStanding(fact: Fact): Standing | null {
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
  if (before.status === "expired") return isPayment(fact) ? withUnbooked(before, fact) : before;
  if ("platformId" in fact && fact.type !== "paid" && isForAnother(before, fact.platformId))
    return isPayment(fact) ? withUnbooked(before, fact) : before;
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
      // The end of a cancelled subscription is known already; a gift may have postponed it here.
      return (before.status === "cancelled" && !awaitsRenewal(before)) || before.priceCents === null
        ? before
        : expired(before, fact.happenedAt);
    case "cancel":
      return before.status === "active" || before.status === "past_due"
        ? {
            ...cancelled(before, fact.happenedAt),
            unconfirmed: before.unconfirmed + (before.platformId ? 1 : 0),
          }
        : before;
    case "resumed":
      // The platform has yet to be told of a newer cancellation: this is from before it.
      return before.unconfirmed > 0 ? before : goingOn(before);
    case "resume":
      return goingOn(before);
    case "downgrade":
      return {
        ...before,
        next: fact.tier === before.tier ? null : { tier: fact.tier, priceCents: fact.priceCents },
      };
  }
}

const isPayment = ({ type }: Fact) => type === "paid" || type === "renewed";

const isForAnother = ({ platformId }: Standing, named: string | null) =>
  platformId !== null && named !== null && platformId !== named;

const withUnbooked = (before: Standing, { id }: Fact): Standing => ({
  ...before,
  unbooked: before.unbooked.length < 64 ? [...before.unbooked, id] : before.unbooked,
});

/** Time paid for is kept until its end; a past-due subscription has none left and ends at once. */
function cancelled(before: Standing, at: number): Standing {
  if (before.status === "past_due") return { ...expired(before, at), cancelledAt: at };
  return before.status === "active" ? { ...before, status: "cancelled", cancelledAt: at } : before;
}

const goingOn = (before: Standing): Standing =>
  before.status === "cancelled" ? { ...before, status: "active", cancelledAt: null } : before;

/** A gift extends the paid time. It raises the tier only if nothing is billed, since a billed plan must match the tier. */
function gifted(before: Standing, fact: FactOf<"paid">): Standing {
  const rises = before.priceCents === null && fact.tier > before.tier;
  const held = rises || fact.tier === before.tier ? convertToTier(before, fact, fact.happenedAt) : before;
  const after = { ...withGift(held, fact), giftedBy: fact.giftedBy };
  // A gift isn't the missing payment: the one grace period continues, moved by the time that the gift added.
  const moved = paidUntil(after) - paidUntil(before);
  const graceUntil = before.graceUntil === null ? null : before.graceUntil + moved;
  return settled({ ...after, graceUntil }, fact.happenedAt);
}

/** The newest checkout determines the plan and the billing from now on. */
function paidAgain(before: Standing, fact: FactOf<"paid">): Standing {
  return {
    ...withMonth(convertToTier(before, fact, fact.happenedAt), fact.happenedAt),
    status: "active",
    priceCents: fact.priceCents,
    next: null,
    platformId: fact.platformId,
    cancelledAt: null,
    graceUntil: null,
    unconfirmed: 0,
  };
}

function renewed(before: Standing, fact: FactOf<"renewed">): Standing {
  const { tier, priceCents, next } = before;
  const owed = [next, priceCents === null ? null : { tier, priceCents }];
  const plan = owed.find((one) => one?.priceCents === fact.amountCents);
  if (!plan) return withUnbooked(before, fact);
  const held = {
    ...convertToTier(before, plan, fact.happenedAt),
    ...plan,
    next: plan === next ? null : next,
  };
  return settled({ ...held, months: held.months + 1 }, fact.happenedAt);
}

/** A payment ends past due, unless it was for a time that has already passed. */
function settled(standing: Standing, at: number): Standing {
  if (standing.status !== "past_due" || paidUntil(standing) <= at) return standing;
  return { ...standing, status: "active", graceUntil: null };
}
