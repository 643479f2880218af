import type { ClientSession, Db } from "mongodb";
import { byIds, inOneReply, setEach } from "./many.ts";

/**
 * One slip per user and prediction (`_id` is "prediction:user", so that a hashed shard key keeps it unique); betting
 * again on the same outcome raises `amount` (points, integer ≥ 1).
 */
export type BetDoc = {
  _id: string;
  predictionId: string;
  userId: string;
  outcomeId: string;
  amount: number;
  placedAt: Date;
};

export const betIdOf = (predictionId: string, userId: string) => `${predictionId}:${userId}`;

export function betsIn(db: Db) {
  const bets = db.collection<BetDoc>("bets");
  return {
    find: (predictionId: string, userId: string) => bets.findOne({ _id: betIdOf(predictionId, userId) }),
    ofUsers: (predictionId: string, userIds: string[]) =>
      byIds(
        bets,
        userIds.map((userId) => betIdOf(predictionId, userId)),
      ),
    /** At most `limit` slips by _id, after `cursor` ("" = from the first): settling goes on where it stopped. */
    after: (predictionId: string, cursor: string, limit: number) =>
      bets
        // ";" is what comes after ":": the ids alone say whose they are, without an index that every bet would pay for.
        .find({ _id: { $gt: cursor || `${predictionId}:`, $lt: `${predictionId};` } }, inOneReply(limit))
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Puts new slips and raised ones as they are after a commit; only the prediction's actor writes them. */
    async save(opened: BetDoc[], raised: BetDoc[], session: ClientSession): Promise<void> {
      if (opened.length > 0) await bets.insertMany(opened, { session });
      if (raised.length === 0) return;
      const statements = setEach<BetDoc, BetDoc>(raised, (own) => ({ amount: own(({ amount }) => amount) }));
      await bets.bulkWrite(statements, { session, ordered: false });
    },
  };
}

export type Bets = ReturnType<typeof betsIn>;
