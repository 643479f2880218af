import type { ClientSession, Db } from "mongodb";
import { scheduleCollection } from "../channels/schedule.ts";
import { streamsCollection } from "../channels/streams.ts";
import { defineCollection } from "../driver/collection.ts";

/** A removed category, kept until nothing refers to it any more; `_id` is its id. */
type CategoryRemovalDoc = { _id: string; dueAt: Date };

export const categoryRemovalsCollection = defineCollection<CategoryRemovalDoc>("category_removals", {
  personal: "none",
  indexes: [{ key: { dueAt: 1 } }], // due
});

export function categoryRemovalsIn(db: Db) {
  const removals = categoryRemovalsCollection.in(db);
  const streams = streamsCollection.in(db);
  const schedule = scheduleCollection.in(db);
  return {
    /** Call it in the transaction that removes the category. */
    add: async (doc: CategoryRemovalDoc, session: ClientSession) =>
      void (await removals.insertOne(doc, { session })),
    due: (now: Date, limit: number) =>
      removals
        .find({ dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Clears the category of streams and planned broadcasts that refer to it. */
    async finish(categoryId: string, changedAt: Date): Promise<void> {
      const names = { categoryId: { $type: "string", $eq: categoryId } } as const;
      await streams.updateMany(names, { $set: { categoryId: null } });
      // The new changedAt makes an owner's concurrent change fail (optimistic lock), so that it is read again.
      await schedule.updateMany(names, { $set: { categoryId: null, changedAt } });
      await removals.deleteOne({ _id: categoryId });
    },
  };
}
