import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A removed clip, kept until all of its likes are removed; `_id` is its id. */
type ClipRemovalDoc = { _id: string };

export const clipRemovalsCollection = defineCollection<ClipRemovalDoc>("clip_removals", { personal: "none" });

export function clipRemovalsIn(db: Db) {
  const removals = clipRemovalsCollection.in(db);
  return {
    /** Call it in the transaction that removes the clip. */
    add: async (clipId: string, session: ClientSession) =>
      void (await removals.insertOne({ _id: clipId }, { session })),
    some: async (limit: number): Promise<string[]> =>
      (await removals.find().limit(limit).toArray()).map(({ _id }) => _id),
    finish: async (clipId: string) => void (await removals.deleteOne({ _id: clipId })),
  };
}
