import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/**
 * How many follow a channel, as a sharded counter: `_id` is "channel:shard", the sum of the shards counts. A follow
 * changes one of them in its own transaction. Two transactions can't change the same one at once, so each process has a
 * shard of its own, as far as they go. The correction of a count that a check has found to be off is a shard too.
 */
export type FollowerCountDoc = { _id: string; followingId: string; count: number };

/** Two processes that have drawn the same one conflict now and then. */
const SHARDS = 64;

export const followerCountsCollection = defineCollection<FollowerCountDoc>("follower_counts", {
  personal: {
    erase: { followingId: "delete", _id: { with: "followingId" } },
    exports: { nothing: "it is a number of others" },
  },

  indexes: [{ key: { followingId: 1 } }],
}); // of, and the check

export const correctionOf = (followingId: string) => `${followingId}:correction`;

export function followerCountsIn(db: Db) {
  const counts = followerCountsCollection.in(db);
  const shard = randomInt(SHARDS);
  return {
    /** In the transaction that writes and deletes the follows. */
    async add(followingId: string, by: number, session: ClientSession): Promise<void> {
      await counts.updateOne(
        { _id: `${followingId}:${shard}` },
        { $inc: { count: by }, $setOnInsert: { followingId } },
        { upsert: true, session },
      );
    },
    /** Costs the same whatever the number; never below 0, also while a correction is due. */
    async of(followingId: string): Promise<number> {
      const shards = await counts.find({ followingId }).project<{ count: number }>({ count: 1 }).toArray();
      return Math.max(
        0,
        shards.reduce((sum, { count }) => sum + count, 0),
      );
    },
  };
}
