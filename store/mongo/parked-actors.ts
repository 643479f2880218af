import type { Db } from "mongodb";
import { isDuplicateKey } from "../failures/mongo.ts";
import { defineCollection } from "./collection.ts";

/** An actor whose stored snapshot a worker couldn't read: nothing of it moves until fitting code meets it. */
export type ParkedActorDoc = {
  /** "machine:id". */
  _id: string;
  machine: string;
  /** For people. */
  reason: string;
  /** The machine's version that the snapshot names; null when it names none. */
  machineVersion: number | null;
  since: Date;
  /** When a worker met it last, but for a minute. */
  seenAt: Date;
};

/** Beyond it the ones that were met longest ago are evicted. */
const MOST = 10_000;
/** An actor that wasn't met for so long is forgotten: it has no requests and no timers. */
const KEPT_SECONDS = 90 * 86_400;

export const parkedActorsCollection = defineCollection<ParkedActorDoc>("parked_actors", {
  personal: "none",

  indexes: [
    { key: { seenAt: 1 }, expireAfterSeconds: KEPT_SECONDS }, // note
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
    /** In the order of their names, at most `limit` after `after`. */
    page: (after: string, limit: number) =>
      parked
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** A worker has met it now; one that is known already keeps its `since`. */
    async note({ _id, since, ...met }: ParkedActorDoc, most = MOST): Promise<void> {
      try {
        const change = { $set: met, $setOnInsert: { since } };
        const { upsertedCount } = await parked.updateOne({ _id }, change, { upsert: true });
        if (upsertedCount === 0) return;
      } catch (err) {
        // Another worker met it at the same moment.
        if (isDuplicateKey(err)) return;
        throw err;
      }
      const over = (await parked.estimatedDocumentCount()) - most;
      if (over > 0) await dropOldest(over);
    },

    remove: async (actors: string[]) => void (await parked.deleteMany({ _id: { $in: actors } })),
  };
}
