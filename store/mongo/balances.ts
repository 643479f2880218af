import type { ClientSession, Db, IndexDescription } from "mongodb";

/** What one user has of one channel's points; `_id` is "user:channel". Always the sum of its ledger entries. */
export type BalanceDoc = {
  _id: string;
  userId: string;
  channelUserId: string;
  /** Integer, never negative. */
  balance: number;
  /** Sum of what was earned (not of payouts and refunds); never falls. */
  lifetimeEarned: number;
  /** Number of ledger entries. */
  seq: number;
};

/** All movements of one account in one transaction, summed up. */
export type BalanceChange = {
  userId: string;
  channelUserId: string;
  delta: number;
  earned: number;
  entries: number;
  /** The change happens only when this much is there. */
  floor: number;
};

export const balanceIndexes = [
  // pageOf sorts by itself: with the balance in the index every movement would move its entry.
  { key: { userId: 1 } },
] satisfies IndexDescription[];

export const accountOf = (userId: string, channelUserId: string) => `${userId}:${channelUserId}`;

export function balancesIn(db: Db) {
  const balances = db.collection<BalanceDoc>("balances");
  return {
    find: (userId: string, channelUserId: string, session?: ClientSession) =>
      balances.findOne({ _id: accountOf(userId, channelUserId) }, session ? { session } : {}),
    ofUsers: (userIds: string[], channelUserId: string) =>
      balances.find({ _id: { $in: userIds.map((userId) => accountOf(userId, channelUserId)) } }).toArray(),
    /** Richest first. */
    async pageOf(userId: string, skip: number, limit: number) {
      const [items, total] = await Promise.all([
        balances.find({ userId }).sort({ balance: -1, _id: 1 }).skip(skip).limit(limit).toArray(),
        balances.countDocuments({ userId }),
      ]);
      return { items, total };
    },
    /** Moves the balances and returns them as they then are; null when one doesn't reach its floor. */
    async move(changes: BalanceChange[], session: ClientSession): Promise<Map<string, BalanceDoc> | null> {
      const { matchedCount, upsertedCount } = await balances.bulkWrite(
        changes.map(({ userId, channelUserId, delta, earned, entries, floor }) => ({
          updateOne: {
            filter: {
              _id: accountOf(userId, channelUserId),
              ...(floor > 0 ? { balance: { $gte: floor } } : {}),
            },
            update: {
              $inc: { balance: delta, lifetimeEarned: earned, seq: entries },
              $setOnInsert: { userId, channelUserId },
            },
            upsert: floor <= 0,
          },
        })),
        { session, ordered: false },
      );
      if (matchedCount + upsertedCount < changes.length) return null;
      const ids = changes.map(({ userId, channelUserId }) => accountOf(userId, channelUserId));
      const moved = await balances.find({ _id: { $in: ids } }, { session }).toArray();
      return new Map(moved.map((doc) => [doc._id, doc]));
    },
  };
}

export type Balances = ReturnType<typeof balancesIn>;
