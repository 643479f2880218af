import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { scheduleCollection } from "./schedule.ts";
import { streamsCollection } from "./streams.ts";

/** A category that was removed, until nothing names it any more; `_id` is its id. */
export type CategoryRemovalDoc = { _id: string; dueAt: Date };

export const categoryRemovalsCollection = defineCollection<CategoryRemovalDoc>("category_removals", {
  personal: "none",
  indexes: [{ key: { dueAt: 1 } }], // due
});

export function categoryRemovalsIn(db: Db) {
  const removals = categoryRemovalsCollection.in(db);
  const streams = streamsCollection.in(db);
  const schedule = scheduleCollection.in(db);
  return {
    /** In the transaction that removes the category. */
    add: async (doc: CategoryRemovalDoc, session: ClientSession) =>
      void (await removals.insertOne(doc, { session })),
    due: (now: Date, limit: number) =>
      removals
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Streams and planned broadcasts that name it name none from now on. */
    async finish(categoryId: string, changedAt: Date): Promise<void> {
      const names = { categoryId: { $type: "string", $eq: categoryId } } as const;
      await streams.updateMany(names, { $set: { categoryId: null } });
      // An owner who changes one of them at once reads it again.
      await schedule.updateMany(names, { $set: { categoryId: null, changedAt } });
      await removals.deleteOne({ _id: categoryId });
    },
  };
}
