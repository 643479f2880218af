import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/**
 * A channel's number of followers, as a sharded counter: `_id` is "channel:shard", and the number is the sum of the shards. A
 * follow changes one shard in its own transaction. Concurrent transactions conflict on the same shard, so each process uses its
 * own, as far as there are enough. The correction of a wrong count found by a check is a shard too.
 */
export type FollowerCountDoc = {
  _id: string;
  followingId: string;
  count: number;
  /** By the server's clock; absent until the first change by a release that writes it. */
  changedAt?: Date;
};

/** Two processes that have drawn the same shard conflict now and then. */
const SHARDS = 64;

export const followerCountsCollection = defineCollection<FollowerCountDoc>("follower_counts", {
  personal: {
    erase: { followingId: "delete", _id: { with: "followingId" } },
    exports: { nothing: "it is a number of others" },
  },

  indexes: [
    { key: { followingId: 1 } }, // of, and the check
    { key: { changedAt: 1, _id: 1 } }, // changedSince
  ],
});

export const correctionOf = (followingId: string) => `${followingId}:correction`;

export function followerCountsIn(db: Db) {
  const counts = followerCountsCollection.in(db);
  const shard = randomInt(SHARDS);
  return {
    /** Call it in the transaction that writes and deletes the follows. */
    async add(followingId: string, by: number, session: ClientSession): Promise<void> {
      await counts.updateOne(
        { _id: `${followingId}:${shard}` },
        { $inc: { count: by }, $setOnInsert: { followingId }, $currentDate: { changedAt: true } },
        { upsert: true, session },
      );
    },
    /** The cost doesn't depend on the number; never below 0, even while a correction is due. */
    async of(followingId: string): Promise<number> {
      const shards = await counts.find({ followingId }).project<{ count: number }>({ count: 1 }).toArray();
      return Math.max(
        0,
        shards.reduce((sum, { count }) => sum + count, 0),
      );
    },
    /** The same for many; channels without followers are left out. */
    async ofMany(followingIds: readonly string[], session?: ClientSession): Promise<Map<string, number>> {
      const sums = counts.aggregate<{ _id: string; count: number }>(
        [
          { $match: { followingId: { $in: followingIds } } },
          { $group: { _id: "$followingId", count: { $sum: "$count" } } },
        ],
        { ...inOneReply(followingIds.length), ...(session ? { session } : {}) },
      );
      return new Map((await sums.toArray()).map(({ _id, count }) => [_id, Math.max(0, count)]));
    },
    /** The server's clock, which dates changes. */
    now: async (): Promise<Date> => (await db.command({ hello: 1 })).localTime,
    /** Counts that have changed since then, oldest change first. */
    changedSince: (since: Date, limit: number) =>
      counts
        .find({ changedAt: { $gte: since } }, inOneReply(limit))
        .sort({ changedAt: 1, _id: 1 })
        .limit(limit)
        .project<{ followingId: string; changedAt: Date }>({ followingId: 1, changedAt: 1 })
        .toArray(),
  };
}
