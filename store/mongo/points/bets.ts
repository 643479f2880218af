import DataLoader from "dataloader";
import type { ClientSession, Db } from "mongodb";
import { byIds, inOneReply, setEach } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { keysWithPrefix } from "../driver/key-ranges.ts";

/**
 * One bet per user and prediction (`_id` is "prediction:user", so that a hashed shard key keeps it unique); betting
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

/** A range read of a prediction's bets by _id, after `cursor` ("" = from the first), at most `limit`. */
type Reading = { predictionId: string; cursor: string; limit: number };

/** A range of ids, so that no extra index has to be written with every bet. */
const rangeOf = ({ predictionId, cursor }: Reading) => ({ _id: keysWithPrefix(predictionId, cursor) });

/** Maximum number of reads in one turn of the event loop that share a query. */
const MAX_BATCH = 64;

export const betsCollection = defineCollection<BetDoc>("bets", {
  personal: {
    erase: { userId: "delete", _id: { with: "userId" } },
    exports: { nothing: "each is in the ledger, which is exported" },
  },
  retired: [{ predictionId: 1, _id: 1 }],
});

export function betsIn(db: Db) {
  const bets = betsCollection.in(db);

  const readOne = (reading: Reading): Promise<BetDoc[]> =>
    bets.find(rangeOf(reading), inOneReply(reading.limit)).sort({ _id: 1 }).limit(reading.limit).toArray();

  async function readMany(readings: readonly Reading[]): Promise<BetDoc[][]> {
    const limit = Math.min(...readings.map((reading) => reading.limit));
    const all = await bets
      .find({ $or: readings.map(rangeOf) }, inOneReply(limit))
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    // A full page may have cut off some of the ranges.
    if (all.length === limit) return Promise.all(readings.map(readOne));
    return readings.map(({ predictionId, cursor }) =>
      all.filter((bet) => bet.predictionId === predictionId && bet._id > cursor),
    );
  }
  const reading = new DataLoader(
    (readings: readonly Reading[]) =>
      readings[0] && readings.length === 1 ? readOne(readings[0]).then((one) => [one]) : readMany(readings),
    { cache: false, maxBatchSize: MAX_BATCH },
  );

  return {
    find: (predictionId: string, userId: string) => bets.findOne({ _id: betIdOf(predictionId, userId) }),
    ofUsers: (predictionId: string, userIds: string[]) =>
      byIds(
        bets,
        userIds.map((userId) => betIdOf(predictionId, userId)),
      ),
    /**
     * At most `limit` bets by _id, after `cursor` ("" = from the first), so that settling resumes where it stopped. Reads of
     * many small predictions are batched.
     */
    after: (predictionId: string, cursor: string, limit: number) =>
      reading.load({ predictionId, cursor, limit }),
    /** Writes new and raised bets as they are after a commit; only the prediction's actor writes them. */
    async save(opened: BetDoc[], raised: BetDoc[], session: ClientSession): Promise<void> {
      if (opened.length > 0) await bets.insertMany(opened, { session });
      if (raised.length === 0) return;
      const statements = setEach<BetDoc, BetDoc>(raised, (own) => ({ amount: own(({ amount }) => amount) }));
      await bets.bulkWrite(statements, { session, ordered: false });
    },
  };
}
