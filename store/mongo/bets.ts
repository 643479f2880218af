import DataLoader from "dataloader";
import type { ClientSession, Db } from "mongodb";
import { byIds, inOneReply, setEach } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { keysUnder } from "./key-ranges.ts";

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

/** A reading of a prediction's bets by _id, after `cursor` ("" = from the first), at most `limit`. */
type Reading = { predictionId: string; cursor: string; limit: number };

/** The ids alone say whose they are, without an index that every bet would pay for. */
const rangeOf = ({ predictionId, cursor }: Reading) => ({ _id: keysUnder(predictionId, cursor) });

/** Reads of one turn of the event loop that share a query, at most. */
const READINGS = 64;

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
    // A page that is full may have cut somebody off.
    if (all.length === limit) return Promise.all(readings.map(readOne));
    return readings.map(({ predictionId, cursor }) =>
      all.filter((bet) => bet.predictionId === predictionId && bet._id > cursor),
    );
  }
  const reading = new DataLoader(
    (readings: readonly Reading[]) =>
      readings[0] && readings.length === 1 ? readOne(readings[0]).then((one) => [one]) : readMany(readings),
    { cache: false, maxBatchSize: READINGS },
  );

  return {
    find: (predictionId: string, userId: string) => bets.findOne({ _id: betIdOf(predictionId, userId) }),
    ofUsers: (predictionId: string, userIds: string[]) =>
      byIds(
        bets,
        userIds.map((userId) => betIdOf(predictionId, userId)),
      ),
    /**
     * At most `limit` bets by _id, after `cursor` ("" = from the first): settling goes on where it stopped. The few of
     * many small predictions are read together.
     */
    after: (predictionId: string, cursor: string, limit: number) =>
      reading.load({ predictionId, cursor, limit }),
    /** Puts new bets and raised ones as they are after a commit; only the prediction's actor writes them. */
    async save(opened: BetDoc[], raised: BetDoc[], session: ClientSession): Promise<void> {
      if (opened.length > 0) await bets.insertMany(opened, { session });
      if (raised.length === 0) return;
      const statements = setEach<BetDoc, BetDoc>(raised, (own) => ({ amount: own(({ amount }) => amount) }));
      await bets.bulkWrite(statements, { session, ordered: false });
    },
  };
}
