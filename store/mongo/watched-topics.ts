import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { logOfSum } from "./log-sum.ts";

export type TopicKind = "category" | "language";
export type Topic = { kind: TopicKind; value: string };

/**
 * How much somebody has watched of a category or in a language; `_id` is "user:kind:value". What was watched counts half as
 * much after each half-life. `weight` is the logarithm, to the base of 2, of the sum as it would be seen at the beginning of time:
 * it needs no decay of its own, and compares with others whenever they were written.
 */
export type WatchedTopicDoc = Topic & { _id: string; userId: string; weight: number; lastAt: Date };

const HALF_LIFE_MS = 14 * 86_400_000;
const FORGOTTEN_AFTER_SECONDS = 180 * 86_400;

export const watchedTopicsCollection = defineCollection<WatchedTopicDoc>("watched_topics", {
  personal: {
    erase: { userId: "delete", _id: { with: "userId" } },
    exports: [{ by: "userId", shows: ["kind", "value", "lastAt"] }],
  },

  indexes: [
    { key: { userId: 1, kind: 1, weight: -1 } }, // most
    { key: { lastAt: 1 }, expireAfterSeconds: FORGOTTEN_AFTER_SECONDS },
  ],
});

export function watchedTopicsIn(db: Db) {
  const topics = watchedTopicsCollection.in(db);
  return {
    /** One more window was watched. */
    async add(userId: string, watched: readonly Topic[], at: Date): Promise<void> {
      if (watched.length === 0) return;
      const now = at.getTime() / HALF_LIFE_MS;
      const weight = { $cond: [{ $eq: [{ $type: "$weight" }, "missing"] }, now, logOfSum("$weight", now)] };
      await topics.bulkWrite(
        watched.map(({ kind, value }) => ({
          updateOne: {
            filter: { _id: `${userId}:${kind}:${value}` },
            update: [{ $set: { userId, kind, value, weight, lastAt: at } }],
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    /** What somebody watches most, each with its share of the first one: 1 for that, less for others. */
    async most(userId: string, kind: TopicKind, limit: number): Promise<{ value: string; share: number }[]> {
      const found = await topics.find({ userId, kind }).sort({ weight: -1 }).limit(limit).toArray();
      const [first] = found;
      if (!first) return [];
      return found.map(({ value, weight }) => ({ value, share: 2 ** (weight - first.weight) }));
    },
  };
}
