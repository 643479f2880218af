import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/**
 * How many follow a channel, in parts whose sum counts: `_id` is "channel:part". A follow moves one of them in its own
 * transaction. Two transactions can't move the same one side by side, so each process has a part of its own, as far as
 * they go. What a check has found to be off is a part too (`correctionOf`).
 */
export type FollowerCountDoc = { _id: string; followingId: string; count: number };

/** Two processes that have taken the same one by chance meet now and then. */
const PARTS = 64;

export const followerCountsCollection = defineCollection<FollowerCountDoc>("follower_counts", {
  indexes: [{ key: { followingId: 1 } }],
}); // of, and the check

export const correctionOf = (followingId: string) => `${followingId}:correction`;

export function followerCountsIn(db: Db) {
  const counts = followerCountsCollection.in(db);
  const part = randomInt(PARTS);
  return {
    /** In the transaction that writes and deletes the follows. */
    async add(followingId: string, by: number, session: ClientSession): Promise<void> {
      await counts.updateOne(
        { _id: `${followingId}:${part}` },
        { $inc: { count: by }, $setOnInsert: { followingId } },
        { upsert: true, session },
      );
    },
    /** Costs the same whatever the number; never below 0, also while a correction is due. */
    async of(followingId: string): Promise<number> {
      const parts = await counts.find({ followingId }).project<{ count: number }>({ count: 1 }).toArray();
      return Math.max(
        0,
        parts.reduce((sum, { count }) => sum + count, 0),
      );
    },
  };
}
