import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Somebody has forgotten the password of whoever has that address, if anybody has. */
export type ResetRequestDoc = {
  /** A keyed hash of the address: of one address one waits at a time. */
  _id: string;
  requestId: string;
  /** The address as it was typed, sealed: most that strangers type isn't ours to know. */
  sealed: string;
  createdAt: Date;
};

/** What no worker has taken by then nobody waits for. */
const KEPT_SECONDS = 1_800;

export const resetRequestsCollection = defineCollection<ResetRequestDoc>("password_reset_requests", {
  personal: "none",
  indexes: [
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS }, // oldest
  ],
});

export function resetRequestsIn(db: Db) {
  const requests = resetRequestsCollection.in(db);
  return {
    /** One that waits already stays as it is. */
    put: async (doc: ResetRequestDoc) =>
      void (await requests.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    oldest: (limit: number) => requests.find().sort({ createdAt: 1 }).limit(limit).toArray(),
    /** False when another worker was faster. */
    take: async ({ _id, requestId }: Pick<ResetRequestDoc, "_id" | "requestId">, session?: ClientSession) =>
      (await requests.deleteOne({ _id, requestId }, session ? { session } : {})).deletedCount === 1,
  };
}
