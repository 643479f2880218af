import type { ClientSession, Db } from "mongodb";
import { type RateLimit, rateLimited } from "../../../contract/errors.ts";
import { defineCollection } from "./collection.ts";

/** How many acts of a bucket a user has done since the window began; `_id` is "bucket:user". */
type WindowedCountDoc = { _id: string; since: Date; count: number; expiresAt: Date };

export const windowedCountsCollection = defineCollection<WindowedCountDoc>("windowed_counts", {
  personal: {
    erase: { _id: { keep: "a number, which goes with its window" } },
    exports: { nothing: "a number that limits" },
  },

  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

/**
 * Limits that hold while Redis is away, too: they are counted in the transaction of what they limit, so that what isn't
 * committed isn't counted. The window begins with the first of its acts.
 */
export function windowedCountsIn(db: Db) {
  const counts = windowedCountsCollection.in(db);

  return {
    /** Counts one more act of the user. Throws `rate_limited`. */
    async take(
      { bucket, limit, windowSeconds }: RateLimit,
      userId: string,
      now: Date,
      session: ClientSession,
    ) {
      const windowMs = windowSeconds * 1_000;
      // A window that another server's clock began is over by that clock: two clocks apart must not take turns to begin it anew. A
      // clock that was days ahead therefore refuses its users for days.
      const isOver = { $lte: [{ $ifNull: ["$since", new Date(0)] }, new Date(now.getTime() - windowMs)] };
      const counted = await counts.findOneAndUpdate(
        { _id: `${bucket}:${userId}` },
        [
          {
            $set: {
              count: { $cond: [isOver, 1, { $add: ["$count", 1] }] },
              since: { $cond: [isOver, now, "$since"] },
              expiresAt: { $cond: [isOver, new Date(now.getTime() + windowMs), "$expiresAt"] },
            },
          },
        ],
        { upsert: true, session, returnDocument: "after" },
      );
      if (!counted || counted.count <= limit) return;
      throw rateLimited({ bucket, limit, windowSeconds }, counted.since.getTime() + windowMs - now.getTime());
    },
  };
}
