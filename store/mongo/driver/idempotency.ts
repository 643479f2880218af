import type { ClientSession, Db } from "mongodb";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";

/** The stored response to a request: repeating the request with the same key returns it again. */
export type IdempotencyDoc = {
  /** "user:operation:key". */
  _id: string;
  /** SHA-256 of the request, hex: another request under the same key is refused. */
  requestHash: string;
  answer: unknown;
  expiresAt: Date;
};

export const idempotencyCollection = defineCollection<IdempotencyDoc>("idempotency", {
  personal: {
    erase: { _id: { key: "first", does: "delete" }, answer: { keep: "it is removed by itself after a day" } },
    exports: { nothing: "answers that were given before" },
  },

  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

export function idempotencyIn(db: Db) {
  const keys = idempotencyCollection.in(db);
  return {
    /** Includes expired ones: the TTL index removes them a minute or more late. */
    findMany: (ids: string[], session?: ClientSession) => byIds(keys, ids, session),
    /** Claims a key that is free at `now`, or returns its current owner's entry; of concurrent calls one wins. */
    async claim({ _id, ...fresh }: IdempotencyDoc, now: Date): Promise<IdempotencyDoc> {
      const whose = { $cond: [{ $gt: ["$expiresAt", now] }, "$$ROOT", { $literal: fresh }] };
      const taken = await keys.findOneAndUpdate({ _id }, [{ $replaceWith: whose }], {
        upsert: true,
        returnDocument: "after" as const,
      });
      if (!taken) throw new Error("a key that was claimed is somebody's");
      return taken;
    },
    /**
     * Inserts new entries in place of those that were seen `expired` and are still expired at `now`: one that another process has
     * renewed in the meantime stays. An existing key causes a duplicate key.
     */
    async keep(docs: IdempotencyDoc[], expired: string[], now: Date, session: ClientSession): Promise<void> {
      if (expired.length > 0) {
        await keys.deleteMany({ _id: { $in: expired }, expiresAt: { $lte: now } }, { session });
      }
      if (docs.length > 0) await keys.insertMany(docs, { session });
    },
  };
}
