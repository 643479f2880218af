import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Of staff's emotes and badges, which are shown in all rooms: the one document that each change of them touches. */
type GlobalSetDoc = { _id: "global"; version: number };

export const globalSetCollection = defineCollection<GlobalSetDoc>("global_set", { personal: "none" });

export function globalSetIn(db: Db) {
  const sets = globalSetCollection.in(db);
  return {
    /** Rises with each change; 0 before the first. */
    version: async (): Promise<number> => (await sets.findOne({ _id: "global" }))?.version ?? 0,
    /** Changes take turns at it; so before all else in their transactions. Throws a duplicate key for the loser of the very first two. */
    raise: async (session: ClientSession) =>
      void (await sets.updateOne({ _id: "global" }, { $inc: { version: 1 } }, { upsert: true, session })),
  };
}
