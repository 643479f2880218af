import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/**
 * What staff change that is one for all of the service: `global`, emotes and badges that are shown in all rooms; `discovery`,
 * the tree of categories and what is featured. The one document that each change of it touches.
 */
type SetName = "global" | "discovery";
type GlobalSetDoc = { _id: SetName; version: number };

export const globalSetCollection = defineCollection<GlobalSetDoc>("global_set", { personal: "none" });

export function globalSetIn(db: Db, _id: SetName = "global") {
  const sets = globalSetCollection.in(db);
  return {
    /** Rises with each change; 0 before the first. */
    version: async (): Promise<number> => (await sets.findOne({ _id }))?.version ?? 0,
    /** Changes take turns at it; so before all else in their transactions. Throws a duplicate key for the loser of the very first two. */
    raise: async (session: ClientSession) =>
      void (await sets.updateOne({ _id }, { $inc: { version: 1 } }, { upsert: true, session })),
  };
}
