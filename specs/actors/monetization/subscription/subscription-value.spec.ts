import { expect } from "chai";
import fc from "fast-check";
import { callsAfter } from "../../../../actors/monetization/subscription/calls-after.ts";
import { standingAt, withFact } from "../../../../actors/monetization/subscription/fact-log.ts";
import type { Fact } from "../../../../actors/monetization/subscription/facts.ts";
import { monthsAfter, paidUntil } from "../../../../actors/monetization/subscription/paid-time.ts";
import { entitledUntil } from "../../../../actors/monetization/subscription/standing.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 31, 12);
const PRICES = { 1: 499, 2: 999, 3: 2_499 } as const;
type Tier = keyof typeof PRICES;
const priceOf = (tier: number) => PRICES[tier as Tier];

const keptOf = (facts: readonly Fact[]) =>
  facts.reduce((kept, fact) => withFact(kept, fact), { base: null, facts: [] } as Parameters<
    typeof withFact
  >[0]);
const stands = (facts: readonly Fact[], at: number) => standingAt(keptOf(facts), at);

const paid = (id: string, tier: Tier, happenedAt = START, change: object = {}): Fact => ({
  type: "paid",
  id,
  happenedAt,
  isGift: false,
  giftedBy: null,
  tier,
  priceCents: PRICES[tier],
  platformId: "p1",
  ...change,
});
const gift = (id: string, tier: Tier, happenedAt = START): Fact =>
  paid(id, tier, happenedAt, { isGift: true, giftedBy: "giver", platformId: null });

/**
 * Goes through all that happened and adds up what a subscriber was entitled to: milliseconds times what a month of the tier costs,
 * without the grace, which is looked at by itself.
 */
function had(facts: readonly Fact[]): number {
  const begins = Math.min(...facts.flatMap((fact) => (fact.type === "paid" ? [fact.happenedAt] : [])));
  const timeOf = ({ happenedAt }: Fact) => Math.max(happenedAt, begins);
  const times = [...new Set(facts.map(timeOf))].sort((a, b) => a - b);
  return times.reduce((sum, at, i) => {
    const known = facts.filter((fact) => timeOf(fact) <= at);
    const standing = stands(known, at);
    const until = paidUntil(standing);
    expect(until).satisfy(Number.isSafeInteger);
    if (standing.status === "expired") return sum;
    expect(entitledUntil(standing) - Math.max(until, at), "grace").at.most(8 * DAY);
    const lasted = Math.min(until, times[i + 1] ?? Number.POSITIVE_INFINITY) - at;
    return sum + Math.max(0, lasted) * priceOf(standing.tier);
  }, 0);
}

const costOf = (fact: Fact) =>
  fact.type === "paid" ? fact.priceCents : fact.type === "renewed" ? fact.amountCents : 0;

const tiers = fc.constantFrom<Tier>(1, 2, 3);
const withId = (facts: object[]) => facts.map((fact, i) => ({ ...fact, id: `f${i}` }) as Fact);
const payment = (at: fc.Arbitrary<number>) =>
  fc
    .record({ tier: tiers, happenedAt: at, isGift: fc.boolean(), billed: fc.constantFrom("p1", "p2") })
    .map(({ tier, happenedAt, isGift, billed }) =>
      isGift ? gift("", tier, happenedAt) : paid("", tier, happenedAt, { platformId: billed }),
    );
const at = fc.integer({ min: 0, max: 260 }).map((halves) => START + (halves * DAY) / 2);
const platformId = fc.constantFrom(null, "p1", "p2");
const anything = fc.oneof(
  payment(at),
  payment(at),
  fc.record({
    type: fc.constant("renewed"),
    happenedAt: at,
    platformId,
    amountCents: fc.constantFrom(...Object.values(PRICES)),
  }),
  fc
    .record({ type: fc.constant("downgrade"), happenedAt: at, tier: tiers })
    .map((fact) => ({ ...fact, priceCents: priceOf(fact.tier) })),
  fc.record({ type: fc.constantFrom("cancel", "resume"), happenedAt: at }),
  fc.record({ type: fc.constantFrom("paymentFailed", "stopped", "ended"), happenedAt: at, platformId }),
);

describe("What a subscriber is entitled to", () => {
  it("costs no more than was paid, plus a grace, whatever was paid, given, changed and cancelled", () => {
    const programs = fc.array(anything, { maxLength: 16 }).map(withId);
    fc.assert(
      fc.property(tiers, programs, (tier, some) => {
        const facts = [paid("first", tier), ...some];
        const { unbooked } = stands(facts, START + 10_000 * DAY);
        const booked = facts.filter(({ id }) => !unbooked.includes(id));
        const sum = booked.reduce((so, fact) => so + costOf(fact), 0);
        // A month has 31 days at most.
        expect(had(facts)).at.most(sum * 31 * DAY);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is all that was paid for, while nobody ends it", () => {
    const soon = fc.integer({ min: 0, max: 54 }).map((halves) => START + (halves * DAY) / 2);
    const programs = fc.array(payment(soon), { minLength: 1, maxLength: 12 }).map(withId);
    fc.assert(
      fc.property(programs, (some) => {
        const facts = [paid("first", 1), ...some];
        const sum = facts.reduce((so, fact) => so + costOf(fact), 0);
        // A month has 28 days at least; each conversion rounds a millisecond down.
        expect(had(facts)).at.least(sum * 28 * DAY - facts.length * PRICES[3]);
      }),
      { numRuns: 1_000 },
    );
  });

  const lasts = (facts: readonly Fact[]) => (paidUntil(stands(facts, START)) - START) / DAY;
  const many = (count: number, make: (id: string) => Fact) =>
    Array.from({ length: count }, (_, i) => make(`m${i}`));

  it("is no year of tier 3 for ten months of tier 1 and one of tier 3", () => {
    const prepaid = many(10, (id) => paid(id, 1));
    const days = lasts(prepaid);
    expect(days).within(280, 306);
    const facts = [...prepaid, paid("up", 3)];
    expect(stands(facts, START)).include({ tier: 3, priceCents: 2_499 });
    expect(lasts(facts)).closeTo(28 + (days * 499) / 2_499, 0.001);
  });

  it("is as much of tier 3 as gifts of tier 1 cost, whether they come before one of tier 3 or after it", () => {
    const cheap = many(11, (id) => gift(id, 1));
    expect(lasts(cheap)).equal(330);
    expect(lasts([...cheap, gift("up", 3)])).closeTo(30 + (330 * 499) / 2_499, 0.001);
    const facts = [paid("first", 3), ...cheap];
    expect(stands(facts, START).tier).equal(3);
    expect(lasts(facts)).closeTo(28 + (330 * 499) / 2_499, 0.001);
    // A dearer gift lasts longer where the tier is what is billed.
    expect(lasts([paid("own", 1), gift("dear", 3)])).closeTo(28 + (30 * 2_499) / 499, 0.001);
  });

  it("counts what is left by the lower price, where a tier was paid for at two", () => {
    const facts = [paid("a", 1), paid("b", 1, START, { priceCents: 599 })];
    const days = lasts(facts);
    expect(lasts([...facts, paid("c", 3)])).closeTo(28 + (days * 499) / 2_499, 0.001);
  });

  it("goes on at a lower tier for as long as what is left of the higher one pays for", () => {
    const facts = [gift("dear", 3), paid("own", 1, START + DAY)];
    const standing = stands(facts, START + DAY);
    expect(standing).include({ tier: 1, priceCents: 499 });
    const month = monthsAfter(START + DAY, 1);
    expect((paidUntil(standing) - month) / DAY).closeTo((29 * 2_499) / 499, 0.001);
  });

  it("is what the platform bills after: it gets the date of each payment that lasts longer than it knows", () => {
    const own = paid("own", 3);
    const callsOn = (before: Fact[], fact: Fact) =>
      callsAfter(stands(before, START), stands([...before, fact], START), fact);
    const late = { happenedAt: START + 27 * DAY };
    const cheap = { ...gift("cheap", 1), ...late };
    const until = paidUntil(stands([own, cheap], START));
    expect(until).lessThan(monthsAfter(late.happenedAt, 1));
    expect(callsOn([own], cheap)).deep.equal([{ kind: "postpone", platformId: "p1", until }]);
    const up = paid("up", 3, START + DAY, { platformId: "p2" });
    const prepaid = [paid("own", 1)];
    const [ended, postponed] = callsOn(prepaid, up);
    expect(ended).deep.equal({ kind: "end", platformId: "p1" });
    expect(postponed).deep.include({ kind: "postpone", platformId: "p2" });
    const rest = (27 * DAY * 499) / 2_499;
    const due = postponed?.kind === "postpone" ? postponed.until : 0;
    expect((due - monthsAfter(START + DAY, 1) - rest) / DAY).closeTo(0, 0.001);
  });

  it("isn't extended by another grace with each gift while a payment is missing", () => {
    const due = monthsAfter(START, 1);
    const facts = [paid("own", 3), gift("g1", 1, due + 6 * DAY), gift("g2", 1, due + 12 * DAY)];
    const brought = (30 * DAY * 499) / 2_499;
    const until = entitledUntil(stands(facts, due + 12 * DAY));
    expect((until - due - 7 * DAY - 2 * brought) / DAY).closeTo(0, 0.001);
  });
});
