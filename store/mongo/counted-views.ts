import type { ClientSession, Db } from "mongodb";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";

/** Somebody's view of a clip or a video that was counted; `_id` is "thing:viewer". */
export type CountedViewDoc = {
  _id: string;
  /** Null for an anonymous viewer, who is known by a keyed hash of the address. */
  userId: string | null;
  /** When the next one counts. */
  expiresAt: Date;
};

const KEPT_BRIEFLY = "it is removed by itself after an hour";

export const countedViewsCollection = defineCollection<CountedViewDoc>("counted_views", {
  personal: {
    erase: { userId: "delete", _id: { with: "userId" } },
    exports: { nothing: KEPT_BRIEFLY },
  },

  indexes: [
    { key: { userId: 1 }, partialFilterExpression: { userId: { $type: "string" } } }, // erasure
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
});

export function countedViewsIn(db: Db) {
  const views = countedViewsCollection.in(db);
  return {
    /** Keeps those of which none was counted lately, and gives them back. One kept elsewhere meanwhile is a write conflict. */
    async keepNew(
      seen: readonly CountedViewDoc[],
      now: Date,
      session: ClientSession,
    ): Promise<CountedViewDoc[]> {
      const known = await byIds(
        views,
        seen.map(({ _id }) => _id),
        session,
      );
      const live = new Set(known.filter(({ expiresAt }) => expiresAt > now).map(({ _id }) => _id));
      const fresh = seen.filter(({ _id }) => !live.has(_id));
      if (fresh.length === 0) return [];
      await views.bulkWrite(
        fresh.map((doc) => ({
          replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true },
        })),
        { session },
      );
      return fresh;
    },
  };
}
