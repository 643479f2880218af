import type { Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { defineCollection } from "../driver/collection.ts";

/** An actor whose stored snapshot a worker couldn't read: it is stopped until a worker with matching code loads it. */
export type ParkedActorDoc = {
  /** "machine:id". */
  _id: string;
  machine: string;
  /** Human-readable. */
  reason: string;
  /** The machine version that the snapshot names; null when it names none. */
  machineVersion: number | null;
  since: Date;
  /** When a worker last loaded it, accurate to a minute. */
  seenAt: Date;
};

/** Past this number those not seen for longest are evicted. */
const MAX_PARKED = 10_000;
/** An actor that wasn't seen for this long is forgotten: it has no requests and no timers. */
const TTL_SECONDS = 90 * 86_400;

export const parkedActorsCollection = defineCollection<ParkedActorDoc>("parked_actors", {
  personal: "none",

  indexes: [
    { key: { seenAt: 1 }, expireAfterSeconds: TTL_SECONDS }, // note
  ],
});

export function parkedActorsIn(db: Db) {
  const parked = parkedActorsCollection.in(db);

  async function dropOldest(count: number): Promise<void> {
    const oldest = await parked
      .find()
      .sort({ seenAt: 1 })
      .limit(count)
      .project<{ _id: string }>({})
      .toArray();
    await parked.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
  }

  return {
    find: (actor: string) => parked.findOne({ _id: actor }),
    /** Ordered by name, at most `limit` after `after`. */
    page: (after: string, limit: number) =>
      parked
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** Records that a worker has just met it; a known one keeps its `since`. */
    async note({ _id, since, ...met }: ParkedActorDoc, most = MAX_PARKED): Promise<void> {
      try {
        const change = { $set: met, $setOnInsert: { since } };
        const { upsertedCount } = await parked.updateOne({ _id }, change, { upsert: true });
        if (upsertedCount === 0) return;
      } catch (err) {
        // Another worker recorded it at the same moment.
        if (isDuplicateKey(err)) return;
        throw err;
      }
      const over = (await parked.estimatedDocumentCount()) - most;
      if (over > 0) await dropOldest(over);
    },

    /** Unless a worker has met one since it was read. */
    async remove(read: readonly Pick<ParkedActorDoc, "_id" | "seenAt">[]): Promise<void> {
      const unchanged = read.map(({ _id, seenAt }) => ({ _id, seenAt }));
      if (unchanged.length > 0) await parked.deleteMany({ $or: unchanged });
    },
  };
}
