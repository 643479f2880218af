/**
 * How a subscription stands after what happened to it: a pure function of the set of facts and the time. Reports of a
 * payment platform come twice, late and in any order, so nothing is decided by the order in which they came.
 */
import Type from "typebox";
import { count, exactly, orNull, type Static, word } from "../host/schemas.ts";
import { type Fact, type FactOf, fact, tier } from "./facts.ts";
import { atPlan, firstPaid, paidTime, paidUntil, withGift, withMonth } from "./paid-time.ts";

const DAY_MS = 86_400_000;
/** How long after the due renewal its payment may be reported before it counts as missing. */
const PATIENCE_MS = DAY_MS;
/** Entitled without a payment. */
const GRACE_MS = 7 * DAY_MS;

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

/** Facts, on top of what older ones came to. */
export const record = { base: orNull(exactly({ at: count, standing })), facts: Type.Array(fact) };
type Kept = { base: { at: number; standing: Standing } | null; facts: Fact[] };

/** In the order in which they happened; what is told of the time before the first payment comes right after it. */
function ordered({ base, facts }: Kept): Fact[] {
  const first =
    base?.at ?? Math.min(...facts.filter(({ type }) => type === "paid").map(({ happenedAt }) => happenedAt));
  const key = ({ happenedAt, type, id }: Fact) =>
    [Math.max(happenedAt, first), type === "paid" ? 0 : 1, id] as const;
  return facts
    .map((fact) => ({ fact, key: key(fact) }))
    .sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1] || (a.key[2] < b.key[2] ? -1 : 1))
    .map(({ fact, key }) => ({ ...fact, happenedAt: key[0] }));
}

/** How it stands at that time. Throws where there is no payment that it could have begun with. */
export function standingAt(kept: Kept, now: number): Standing {
  return advanced(stoodAfter(kept.base?.standing ?? null, ordered(kept)), now);
}

function stoodAfter(base: Standing | null, facts: Fact[]): Standing {
  const after = facts.reduce<Standing | null>(
    (before, fact) => (before ? happened(advanced(before, fact.happenedAt), fact) : begun(fact)),
    base,
  );
  if (!after) throw new Error("a subscription begins with a payment");
  return after;
}

/** As many facts as are kept singly; what is reported later than so many others counts as if it came right after them. */
const MOST_FACTS = 128;

/** With one fact more; one that is known already changes nothing. */
export function withFact(kept: Kept, fact: Fact): Kept {
  if (kept.facts.some(({ id }) => id === fact.id)) return kept;
  const facts = [...kept.facts, fact];
  if (facts.length <= MOST_FACTS) return { base: kept.base, facts };
  const all = ordered({ base: kept.base, facts });
  const old = all.slice(0, MOST_FACTS / 2);
  const at = old.at(-1)?.happenedAt ?? 0;
  return {
    base: { at, standing: stoodAfter(kept.base?.standing ?? null, old) },
    facts: all.slice(MOST_FACTS / 2),
  };
}

/** What has happened by itself by then. */
function advanced(standing: Standing, now: number): Standing {
  let current = standing;
  for (let due = changesAt(current); due !== null && due <= now; due = changesAt(current)) {
    current = lapsed(current);
  }
  return current;
}

function lapsed(standing: Standing): Standing {
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

function begun(fact: Fact): Standing | null {
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

function happened(before: Standing, fact: Fact): Standing {
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
