import type { ClientSession, Db, IndexDescription } from "mongodb";

/** The answer that a request got: the same request with the same key gets it again. */
export type IdempotencyDoc = {
  /** "user:operation:key". */
  _id: string;
  /** SHA-256 of the request, hex: another request under the same key is refused. */
  requestHash: string;
  answer: unknown;
  expiresAt: Date;
};

export const idempotencyIndexes = [
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
] satisfies IndexDescription[];

export function idempotencyIn(db: Db) {
  const keys = db.collection<IdempotencyDoc>("idempotency");
  return {
    /** Those in force at `now`: the index removes them a minute or more late. */
    inForce: (ids: string[], now: Date) =>
      keys.find({ _id: { $in: ids }, expiresAt: { $gt: now } }).toArray(),
    /** Takes the place of expired ones; a key in force is a duplicate key. */
    async keep(docs: IdempotencyDoc[], now: Date, session: ClientSession): Promise<void> {
      if (docs.length === 0) return;
      await keys.bulkWrite(
        docs.map(({ _id, ...replacement }) => ({
          replaceOne: { filter: { _id, expiresAt: { $lte: now } }, replacement, upsert: true },
        })),
        { session },
      );
    },
  };
}

export type Idempotency = ReturnType<typeof idempotencyIn>;
