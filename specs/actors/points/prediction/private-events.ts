import { expect } from "chai";
import type { Db } from "mongodb";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import { duesOf } from "../../host/invariants.ts";
import type { PublishedEvents } from "../../host/published-events.ts";

/**
 * Checks users' private events of a settled prediction against the stores: each bettor got the own result, and each movement of
 * points by it, at least once and never with different figures.
 */
export async function expectPrivateEvents(
  db: Db,
  { privateEvents }: PublishedEvents,
  predictionId: string,
): Promise<void> {
  const prediction = await db.collection<PredictionDoc>("predictions").findOne({ _id: predictionId });
  const bets = await db.collection<BetDoc>("bets").find({ predictionId }).sort({ _id: 1 }).toArray();
  const entries = await db.collection<LedgerDoc>("ledger").find({ ref: predictionId }).toArray();
  const dues = duesOf(bets, prediction?.resolvedOutcomeId ?? null);
  const due = new Set([
    ...bets.map(({ _id, userId, outcomeId, amount }) => {
      const payout = dues.get(_id)?.amount ?? 0;
      const data = { prediction_id: predictionId, outcome_id: outcomeId, amount, payout };
      return JSON.stringify({ userId, type: "prediction.result", data });
    }),
    ...entries.map(({ userId, channelUserId, balanceAfter, delta, reason, seq: version }) => {
      const data = { channel_user_id: channelUserId, balance: balanceAfter, delta, reason, version };
      return JSON.stringify({ userId, type: "points.changed", data });
    }),
  ]);
  const channels = new Set(entries.map((entry) => entry.channelUserId));
  const mine = privateEvents.filter(
    ({ data }) => data.prediction_id === predictionId || channels.has(String(data.channel_user_id)),
  );
  expect(new Set(mine.map((one) => JSON.stringify(one))), `private events of ${predictionId}`).deep.equal(
    due,
  );
}
