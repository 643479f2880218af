import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/** A password reset requested for an address, which may have no account. */
export type ResetRequestDoc = {
  /** A keyed hash of the address, so that at most one request per address is waiting. */
  _id: string;
  requestId: string;
  /** The address as typed, sealed: most addresses that strangers type aren't our users'. */
  sealed: string;
  createdAt: Date;
};

/** After this nobody waits for the request any more. */
const TTL_SECONDS = 1_800;

export const resetRequestsCollection = defineCollection<ResetRequestDoc>("password_reset_requests", {
  personal: "none",
  indexes: [
    { key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS }, // oldest
  ],
});

export function resetRequestsIn(db: Db) {
  const requests = resetRequestsCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** A waiting request stays unchanged. */
    put: async (doc: ResetRequestDoc) =>
      void (await requests.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    oldest: (limit: number) => batchedFind(requests, {}, { sort: { createdAt: 1 }, limit }),
    /** False when another worker was faster. */
    take: async ({ _id, requestId }: Pick<ResetRequestDoc, "_id" | "requestId">, session?: ClientSession) =>
      (await requests.deleteOne({ _id, requestId }, session ? { session } : {})).deletedCount === 1,
  };
}
