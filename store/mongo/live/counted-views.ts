import type { ClientSession, Db } from "mongodb";
import { byIds, putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** A counted view of a clip or a video; `_id` is "thing:viewer". */
export type CountedViewDoc = {
  _id: string;
  /** Null for an anonymous viewer, who is identified by a keyed hash of the address. */
  userId: string | null;
  /** From then on the viewer's next view counts. */
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
    /** Stores the views that weren't counted recently, and returns them. A view stored concurrently causes a write conflict. */
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
      await putAll(views, fresh, session);
      return fresh;
    },
  };
}
