import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { loadingOne } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { keysUnder } from "./key-ranges.ts";

/**
 * Where one actor stands. `_id` is "machine:id". The envelope says which machine wrote the snapshot and in which
 * version of it, since XState itself takes any machine's snapshot for its own.
 */
export type SnapshotDoc = {
  _id: string;
  machine: string;
  machineVersion: number;
  /** Rises by one with every commit; a commit replaces exactly the version that it was decided on. */
  version: number;
  /** JSON, as XState's getPersistedSnapshot gives it. */
  snapshot: unknown;
  /** Ids of the latest commits: tells whether a commit of unknown outcome happened. */
  commits: string[];
  /** The actor's timers as of this version, the same as its rows in `timers`; missing in snapshots of older releases. */
  timers?: StoredTimer[];
  createdAt: Date;
  updatedAt: Date;
};

/** A timer by the machine's name of it. */
export type StoredTimer = { timerId: string; event: { type: string }; dueAt: Date };

export const snapshotsCollection = defineCollection<SnapshotDoc>("snapshots", {
  personal: {
    erase: {
      snapshot: { with: "the document that its actor writes" },
    },
    exports: { nothing: "how the things that are exported go on" },
  },

  retired: [{ machine: 1, machineVersion: 1, _id: 1 }],
});

export function snapshotsIn(db: Db) {
  const snapshots = snapshotsCollection.in(db);
  return {
    find: loadingOne(snapshots),
    /** Of one machine's actors, by id, at most `limit` after the one with that id ("" = from the first). */
    versionsAfter: (machine: string, after: string, limit: number) =>
      snapshots
        .find({ _id: keysUnder(machine, after) })
        .sort({ _id: 1 })
        .limit(limit)
        .project<Pick<SnapshotDoc, "_id" | "machineVersion">>({ machineVersion: 1 })
        .toArray(),
    /** Of a machine whose actors outlive what they wrote: those of which that part of the context is so, at most `limit`. */
    async idsWhere(machine: string, part: string, value: string, limit: number): Promise<string[]> {
      const found = await snapshots
        .find({ _id: keysUnder(machine), [`snapshot.context.${part}`]: value })
        .project<{ _id: string }>({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    remove: async (ids: string[]) => void (await snapshots.deleteMany({ _id: { $in: ids } })),
    /**
     * Another id in the place of one, and `sets` in those parts of the context that there are. The version rises, so that no worker
     * goes on from what it remembers. False when the actor has just committed.
     */
    async rename(
      id: string,
      { from, to, sets = {} }: { from: string; to: string; sets?: Readonly<Record<string, string | null>> },
    ): Promise<boolean> {
      const doc = await snapshots.findOne({ _id: id });
      if (!doc) return true;
      const text = JSON.stringify(doc.snapshot);
      const snapshot: { context?: object } = JSON.parse(text.replaceAll(from, to));
      const { context = {} } = snapshot;
      for (const [part, value] of Object.entries(sets))
        if (Object.hasOwn(context, part)) Object.assign(context, { [part]: value });
      if (JSON.stringify(snapshot) === text) return true;
      const { matchedCount } = await snapshots.updateOne(
        { _id: id, version: doc.version },
        { $set: { snapshot }, $inc: { version: 1 } },
      );
      return matchedCount === 1;
    },
    /**
     * Puts each, of different actors, in the place of the version before it; a first version is new. False when somebody
     * else was faster with one: the transaction must then be given up. A first version that exists already is a
     * duplicate key.
     */
    async replaceAll(docs: SnapshotDoc[], session: ClientSession): Promise<boolean> {
      const statements = docs.map((doc): AnyBulkWriteOperation<SnapshotDoc> => {
        if (doc.version === 1) return { insertOne: { document: doc } };
        return { replaceOne: { filter: { _id: doc._id, version: doc.version - 1 }, replacement: doc } };
      });
      const { matchedCount, insertedCount } = await snapshots.bulkWrite(statements, { session });
      return matchedCount + insertedCount === docs.length;
    },
  };
}
