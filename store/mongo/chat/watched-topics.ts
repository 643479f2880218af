import type { Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { defineCollection } from "../driver/collection.ts";
import { logOfSum } from "../driver/log-sum.ts";

type TopicKind = "category" | "language";
export type Topic = { kind: TopicKind; value: string };

/**
 * How much a user has watched of a category or in a language; `_id` is "user:kind:value". What was watched loses half of its
 * weight per half-life. `weight` is log2 of the sum, normalised to the epoch: it needs no decay, and weights are comparable
 * whenever they were written.
 */
export type WatchedTopicDoc = Topic & { _id: string; userId: string; weight: number; lastAt: Date };

const HALF_LIFE_MS = 14 * DAY_MS;
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
    /** Adds one watched window. */
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

    /** The topics that a user watches most, each with its share of the first: 1 for the first, less for the others. */
    async most(userId: string, kind: TopicKind, limit: number): Promise<{ value: string; share: number }[]> {
      const found = await topics.find({ userId, kind }).sort({ weight: -1 }).limit(limit).toArray();
      const [first] = found;
      if (!first) return [];
      return found.map(({ value, weight }) => ({ value, share: 2 ** (weight - first.weight) }));
    },
  };
}
