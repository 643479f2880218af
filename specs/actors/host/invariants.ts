import { expect } from "chai";
import type { Db } from "mongodb";
import { accountOf, type BalanceDoc } from "../../../store/mongo/points/balances.ts";
import type { BetDoc } from "../../../store/mongo/points/bets.ts";
import type { LedgerDoc, PointsReason } from "../../../store/mongo/points/ledger.ts";
import type { PredictionDoc } from "../../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";

const EARNED: ReadonlySet<PointsReason> = new Set(["presence", "follow", "raid", "bonus", "streak"]);

/** What a ledger check covered, so that a spec can show that it wasn't empty. */
type LedgerFigures = {
  accounts: number;
  entries: number;
  bets: number;
  predictions: number;
  redemptions: number;
};

/**
 * Checks all points of a channel, or of all channels, against the invariants, which hold whatever died when:
 * entries of an account are numbered from 1 without a gap, each `balanceAfter` is the sum up to it and never negative, and
 * the balance is the last of them; every bet is the sum of its bet entries, every pool the sum of its bets; the entries of
 * an open prediction sum to minus its pool, those of a settled one to 0; those of a redemption to minus its price, of a
 * refunded one to 0. Call it when no work is in progress.
 */
export async function expectSoundLedger(db: Db, channelUserId?: string): Promise<LedgerFigures> {
  const filter = channelUserId === undefined ? {} : { channelUserId };
  const [balances, predictions] = await Promise.all([
    db.collection<BalanceDoc>("balances").find(filter).toArray(),
    db.collection<PredictionDoc>("predictions").find(filter).toArray(),
  ]);
  const bets = await betsOf(db, channelUserId === undefined ? null : predictions);
  const accounts = new Map(balances.map((doc) => [doc._id, { doc, seq: 0, sum: 0, earned: 0 }]));
  const sums = new Map<string, number>();
  const staked = new Map<string, number>();
  let entries = 0;
  // The unique index, in reverse order.
  const order = { userId: -1, channelUserId: -1, seq: 1 } as const;
  for await (const entry of db.collection<LedgerDoc>("ledger").find(filter).sort(order)) {
    entries += 1;
    const account = accounts.get(accountOf(entry.userId, entry.channelUserId));
    if (!account) throw new Error(`${entry._id} belongs to an account that isn't there`);
    follow(account, entry);
    if (entry.ref === null || EARNED.has(entry.reason)) continue;
    sums.set(entry.ref, (sums.get(entry.ref) ?? 0) + entry.delta);
    if (entry.reason !== "bet") continue;
    const bet = `${entry.ref}:${entry.userId}`;
    staked.set(bet, (staked.get(bet) ?? 0) - entry.delta);
  }
  for (const account of accounts.values()) expectAccount(account);
  expectBets(bets, staked);
  const redemptions = await db.collection<RedemptionDoc>("redemptions").find(filter).toArray();
  for (const { _id, status, reward } of redemptions) {
    const sum = status === "refunded" ? 0 : -reward.cost;
    expect(sums.get(_id), `entries of the ${status} redemption ${_id}`).equal(sum);
  }
  for (const prediction of predictions) expectPools(prediction, bets, sums.get(prediction._id) ?? 0);
  return {
    accounts: accounts.size,
    entries,
    bets: bets.length,
    predictions: predictions.length,
    redemptions: redemptions.length,
  };
}

const betsOf = (db: Db, predictions: PredictionDoc[] | null) =>
  db
    .collection<BetDoc>("bets")
    .find(predictions ? { predictionId: { $in: predictions.map((one) => one._id) } } : {})
    .toArray();

type Account = { doc: BalanceDoc; seq: number; sum: number; earned: number };

function follow(account: Account, entry: LedgerDoc): void {
  account.seq += 1;
  account.sum += entry.delta;
  account.earned += EARNED.has(entry.reason) ? entry.delta : 0;
  const isNext = entry.seq === account.seq && entry.balanceAfter === account.sum;
  if (isNext && entry.balanceAfter >= 0 && Number.isSafeInteger(entry.delta) && entry.delta !== 0) return;
  throw new Error(`the chain of ${account.doc._id} breaks at ${JSON.stringify(entry)}`);
}

function expectAccount({ doc, seq, sum, earned }: Account): void {
  const { _id, balance, lifetimeEarned } = doc;
  const entries = { _id, balance: sum, lifetimeEarned: earned, seq };
  expect({ _id, balance, lifetimeEarned, seq: doc.seq }, "an account and its entries").deep.equal(entries);
}

function expectBets(bets: BetDoc[], staked: Map<string, number>): void {
  for (const bet of bets) {
    expect(bet.amount, `bet ${bet._id} and its stakes`).equal(staked.get(bet._id));
    staked.delete(bet._id);
  }
  expect([...staked.keys()], "stakes without a bet").deep.equal([]);
}

function expectPools(prediction: PredictionDoc, bets: BetDoc[], sum: number): void {
  const own = bets.filter((bet) => bet.predictionId === prediction._id);
  const pools = prediction.outcomes.map(({ id }) => {
    const backers = own.filter((bet) => bet.outcomeId === id);
    return { pointsPool: total(backers), bettorCount: backers.length };
  });
  const stored = prediction.outcomes.map(({ pointsPool, bettorCount }) => ({ pointsPool, bettorCount }));
  expect(stored, `pools of ${prediction._id}`).deep.equal(pools);
  if (prediction.isSettled) expect(sum, `entries of settled ${prediction._id}`).equal(0);
  else if (prediction.isOpen) expect(sum, `entries of open ${prediction._id}`).equal(-total(own));
}

/** What one bet pays in the end, and by which kind of entry. */
type Due = { reason: "payout" | "refund"; amount: number };

/**
 * Checks a closed prediction against the rules of settlement, computed independently: it is settled, every winner was paid once
 * and exactly, or every stake was refunded once, nobody else got anything, and all of its entries sum to 0.
 */
export async function expectSettled(db: Db, predictionId: string): Promise<void> {
  const prediction = await db.collection<PredictionDoc>("predictions").findOne({ _id: predictionId });
  expect(prediction, `prediction ${predictionId}`).include({ isSettled: true, isOpen: false });
  const bets = await db.collection<BetDoc>("bets").find({ predictionId }).sort({ _id: 1 }).toArray();
  const entries = await db.collection<LedgerDoc>("ledger").find({ ref: predictionId }).toArray();
  const due = duesOf(bets, prediction?.resolvedOutcomeId ?? null);
  const owed = new Map([...due].map(([bet, one]) => [`${one.reason}:${bet}`, one.amount]));
  const given = new Map(
    entries.filter((entry) => entry.reason !== "bet").map((entry) => [entry._id, entry.delta]),
  );
  for (const [key, amount] of owed) expect(given.get(key), key).equal(amount);
  expect(
    [...given.keys()].filter((key) => !owed.has(key)),
    "given without being due",
  ).deep.equal([]);
  expect(
    entries.reduce((sum, entry) => sum + entry.delta, 0),
    `entries of ${predictionId}`,
  ).equal(0);
}

/** The dues by bet, for bets that get something; `bets` in the order of settlement. */
export function duesOf(bets: BetDoc[], resolvedOutcomeId: string | null): Map<string, Due> {
  const winners = bets.filter((bet) => bet.outcomeId === resolvedOutcomeId);
  if (winners.length === 0) {
    return new Map(bets.map((bet) => [bet._id, { reason: "refund", amount: bet.amount }]));
  }
  const pool = BigInt(total(bets));
  const winning = BigInt(total(winners));
  let staked = 0n;
  let paid = 0n;
  return new Map(
    winners.map((bet): [string, Due] => {
      staked += BigInt(bet.amount);
      const share = (staked * pool) / winning - paid;
      paid += share;
      return [bet._id, { reason: "payout", amount: Number(share) }];
    }),
  );
}

const total = (bets: BetDoc[]) => bets.reduce((sum, bet) => sum + bet.amount, 0);
