import type { ClientSession, Db, Document } from "mongodb";
import { Conflict } from "../../base/failures/conflict.ts";

/**
 * A document that `prepare` read from another part of the database and that a decision depends on. The commit happens only
 * if it still has these values, and it conflicts with any concurrent change of it. Definitions name guards for the decisions
 * made; what an effect's own conditional write ensures needs no guard.
 */
export type Guard = {
  collection: string;
  id: string;
  has: Record<string, string | number | boolean | Date | null>;
};

/** Throws Conflict when a document has changed since it was read: the batch is then prepared again. */
export async function assertGuards(db: Db, guards: readonly Guard[], session: ClientSession): Promise<void> {
  for (const { collection, id, has } of guards) {
    // A write, not a read: two transactions that only read each other's documents would both commit.
    const { matchedCount } = await db
      .collection<Document & { _id: string }>(collection)
      .updateOne({ _id: id, ...has }, { $inc: { guarded: 1 } }, { session });
    if (matchedCount === 0) throw new Conflict(`${collection} ${id} isn't as it was`);
  }
}
