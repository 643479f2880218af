import { expect } from "chai";
import fc from "fast-check";
import { settle } from "../../../../actors/points/prediction/effects.ts";
import type { PredictionContext } from "../../../../actors/points/prediction/machine.ts";
import { sharesOf } from "../../../../actors/points/prediction/payout.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";

const stake = fc.integer({ min: 1, max: 250_000 });
const prediction = fc.record({
  winning: fc.array(stake, { minLength: 1, maxLength: 60 }),
  losing: fc.array(stake, { maxLength: 60 }),
  batch: fc.integer({ min: 1, max: 20 }),
});

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

describe("the payout", () => {
  it("gives the whole pool away, each share within a point of exact, in batches of any size: 1,000 predictions", () => {
    fc.assert(
      fc.property(prediction, ({ winning, losing, batch }) => {
        const pool = sum(winning) + sum(losing);
        const total = sum(winning);
        const shares: number[] = [];
        let before = 0;
        for (let i = 0; i < winning.length; i += batch) {
          const stakes = winning.slice(i, i + batch);
          shares.push(...sharesOf(stakes, before, total, pool));
          before += sum(stakes);
        }

        expect(sum(shares)).equal(pool);
        for (const [i, share] of shares.entries()) {
          const own = winning[i] ?? 0;
          expect(share).at.least(own);
          // |share − own × pool ÷ total| < 1, without leaving the integers.
          const off = BigInt(share) * BigInt(total) - BigInt(own) * BigInt(pool);
          expect((off < 0n ? -off : off) < BigInt(total)).equal(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("stays exact where products pass 2^53", () => {
    const stakes = [2 ** 45 + 1, 2 ** 45 + 3, 7];
    const pool = 2 ** 50 + 11;

    expect(sum(sharesOf(stakes, 0, sum(stakes), pool))).equal(pool);
  });

  it("gives stakes back exactly when nobody backed what came: 200 predictions", () => {
    fc.assert(
      fc.property(fc.array(stake, { minLength: 1, maxLength: 60 }), (stakes) => {
        const bets = stakes.map((amount, i) => bet(`u${i}`, "a", amount));
        const from = { cursor: "", staked: 0 };
        const settled = settle({ members: bets, from, to: from, last: true }, context(sum(stakes), "b"));

        expect(settled.map(({ payout }) => payout)).deep.equal(stakes);
      }),
      { numRuns: 200 },
    );
  });
});

const bet = (userId: string, outcomeId: string, amount: number): BetDoc => ({
  _id: `p:${userId}`,
  predictionId: "p",
  userId,
  outcomeId,
  amount,
  placedAt: new Date(0),
});

const context = (pool: number, resolvedOutcomeId: string): PredictionContext => ({
  streamId: "s",
  channelUserId: "c",
  title: "t",
  outcomes: [
    { id: "a", title: "a", color: null, pool, bettors: 1 },
    { id: "b", title: "b", color: null, pool: 0, bettors: 0 },
  ],
  durationMs: 1,
  createdBy: "c",
  openedAt: 0,
  locksAt: 1,
  resolvedOutcomeId,
  settled: { cursor: "", staked: 0 },
});
