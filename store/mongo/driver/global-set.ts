import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "./batched-finds.ts";
import { defineCollection } from "./collection.ts";

/**
 * Versions of service-wide data that staff change: `global`, the emotes and badges of all rooms; `discovery`, the tree of
 * categories and the featured channels; `invitations`, those that are left. Every change of a set updates its one document.
 */
type SetName = "global" | "discovery" | "invitations";
type GlobalSetDoc = { _id: SetName; version: number };

export const globalSetCollection = defineCollection<GlobalSetDoc>("global_set", { personal: "none" });

export function globalSetIn(db: Db, _id: SetName = "global") {
  const sets = globalSetCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** Rises with each change; 0 before the first. */
    version: async (): Promise<number> => (await batchedFind(sets, { _id }, { limit: 1 }))[0]?.version ?? 0,
    /** First statement of a change's transaction: it serialises changes. Of the very first two one throws a duplicate key. */
    raise: async (session: ClientSession) =>
      void (await sets.updateOne({ _id }, { $inc: { version: 1 } }, { upsert: true, session })),
  };
}
