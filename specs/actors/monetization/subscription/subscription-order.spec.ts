import { expect } from "chai";
import fc from "fast-check";
import { standingAt, withFact } from "../../../../actors/monetization/subscription/fact-log.ts";
import type { Fact } from "../../../../actors/monetization/subscription/facts.ts";
import { monthsAfter, paidUntil } from "../../../../actors/monetization/subscription/paid-time.ts";
import { entitledUntil } from "../../../../actors/monetization/subscription/standing.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 31, 12);

const paid = (id: string, happenedAt: number, change: object = {}): Fact => ({
  type: "paid",
  id,
  happenedAt,
  isGift: false,
  giftedBy: null,
  tier: 1,
  priceCents: 499,
  platformId: "p1",
  ...change,
});

/** Kept one by one, as they come. */
const keptOf = (facts: readonly Fact[]) =>
  facts.reduce((kept, fact) => withFact(kept, fact), { base: null, facts: [] } as Parameters<
    typeof withFact
  >[0]);

/** Of a few days' resolution, so that many happen at the same time and around the due ones. */
const at = fc.integer({ min: -2, max: 130 }).map((days) => START + days * DAY);
const platformId = fc.constantFrom(null, "p1", "p2");
const anyFact = fc
  .oneof(
    fc.record({
      type: fc.constant("renewed"),
      happenedAt: at,
      amountCents: fc.constantFrom(499, 999, 1),
      platformId,
    }),
    fc.record({
      type: fc.constantFrom("paymentFailed", "stopped", "resumed", "ended"),
      happenedAt: at,
      platformId,
    }),
    fc.record({ type: fc.constantFrom("cancel", "resume"), happenedAt: at }),
    fc.record({
      type: fc.constant("downgrade"),
      happenedAt: at,
      tier: fc.constantFrom(1, 2),
      priceCents: fc.constantFrom(499, 999),
    }),
    fc.record({
      type: fc.constant("paid"),
      happenedAt: at,
      tier: fc.constantFrom(1, 2, 3),
      platformId,
      isGift: fc.boolean(),
      giftedBy: fc.constantFrom(null, "giver"),
      priceCents: fc.constantFrom(499, 999),
    }),
  )
  .map((fact) => fact as unknown as Omit<Fact, "id">);

const someFacts = fc
  .array(anyFact, { maxLength: 14 })
  .map((facts) => [paid("first", START), ...facts.map((fact, i) => ({ ...fact, id: `f${i}` }) as Fact)]);

/** The same facts in another order, some of them several times. */
const repeated = <T>(facts: T[]) =>
  fc
    .tuple(fc.shuffledSubarray(facts), fc.shuffledSubarray(facts, { minLength: facts.length }))
    .chain(([again, all]) => {
      const every = [...again, ...all];
      return fc.shuffledSubarray(every, { minLength: every.length });
    });

describe("What is reported of a subscription", () => {
  it("ends in the same state in any order, with repeats, and looked at in between", () => {
    const runs = someFacts.chain((facts) => fc.record({ facts: fc.constant(facts), came: repeated(facts) }));
    fc.assert(
      fc.property(runs, fc.integer({ min: 0, max: 200 }), ({ facts, came }, days) => {
        const now = START + days * DAY;
        const inOrder = standingAt(keptOf(facts), now);
        // One that is looked at before its first payment has come isn't there yet: its reports wait.
        const begun = came.findIndex(({ type }) => type === "paid");
        const arrived = [...came.slice(begun), ...came.slice(0, begun)];
        for (let n = 1; n < arrived.length; n++) standingAt(keptOf(arrived.slice(0, n)), now);
        expect(standingAt(keptOf(arrived), now)).deep.equal(inOrder);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps a bounded number of facts, and goes on from what the old ones came to", () => {
    const renewals = Array.from(
      { length: 300 },
      (_, i): Fact => ({
        type: "renewed",
        id: `r${i}`,
        happenedAt: monthsAfter(START, i + 1),
        amountCents: 499,
        platformId: "p1",
      }),
    );
    const kept = keptOf([paid("first", START), ...renewals]);
    expect(kept.facts.length).at.most(128);
    const standing = standingAt(kept, monthsAfter(START, 300) + DAY / 2);
    expect(standing).include({ paidFrom: START, months: 301, status: "active" });
  });

  const stands = (facts: Fact[], days: number) => standingAt(keptOf(facts), START + days * DAY);
  const reported = (
    type: "stopped" | "resumed" | "ended" | "paymentFailed",
    id: string,
    days: number,
  ): Fact => ({
    type,
    id,
    happenedAt: START + days * DAY,
    platformId: "p1",
  });
  const requested = (type: "cancel" | "resume", days: number): Fact => ({
    type,
    id: `${type}${days}`,
    happenedAt: START + days * DAY,
  });

  it("gives seven days of grace after a payment that failed, still entitled, and ends then", () => {
    const due = (paidUntil(stands([paid("a", START)], 0)) - START) / DAY;
    const facts = [paid("a", START), reported("paymentFailed", "f", due)];
    expect(stands(facts, due + 6.9)).include({ status: "past_due" });
    expect(entitledUntil(stands(facts, due + 1))).equal(START + (due + 7) * DAY);
    expect(stands(facts, due + 7)).include({ status: "expired", endedAt: START + (due + 7) * DAY });
  });

  it("takes a confirmation of a cancellation that comes after a resumption for what it confirms", () => {
    const facts = [
      paid("a", START),
      requested("cancel", 1),
      requested("resume", 2),
      reported("stopped", "c", 3),
    ];
    expect(stands(facts, 4).status).equal("active");
    expect(stands([...facts, reported("stopped", "d", 5)], 6).status).equal("cancelled");
  });

  it("goes on when a cancellation is taken back at the platform, unless a newer one isn't confirmed", () => {
    const stopped = [paid("a", START), reported("stopped", "c", 1)];
    expect(stands([...stopped, reported("resumed", "u", 2)], 3)).include({
      status: "active",
      cancelledAt: null,
    });
    const cancelled = [paid("a", START), requested("cancel", 1), reported("stopped", "c", 2)];
    expect(stands([...cancelled, reported("resumed", "u", 3)], 4).status).equal("active");
    // It confirms our resumption, after which it was cancelled again.
    const again = [...cancelled, requested("resume", 3), requested("cancel", 4), reported("resumed", "u", 5)];
    expect(stands(again, 6).status).equal("cancelled");
    expect(stands([...again, reported("stopped", "d", 7)], 8).status).equal("cancelled");
  });

  it("counts a renewal that is reported after the end as if it had come in time", () => {
    const renewal: Fact = {
      type: "renewed",
      id: "r",
      happenedAt: monthsAfter(START, 1),
      amountCents: 499,
      platformId: "p1",
    };
    expect(stands([paid("a", START)], 45).status).equal("expired");
    expect(stands([paid("a", START), renewal], 45).status).equal("active");
  });

  it("keeps the day of the month, or takes its last one", () => {
    expect(new Date(monthsAfter(START, 1)).toISOString()).equal("2026-02-28T12:00:00.000Z");
    expect(new Date(monthsAfter(START, 2)).toISOString()).equal("2026-03-31T12:00:00.000Z");
    expect(new Date(monthsAfter(START, 13)).toISOString()).equal("2027-02-28T12:00:00.000Z");
  });
});
