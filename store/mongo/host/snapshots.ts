import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { loadingOne } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { keysWithPrefix } from "../driver/key-ranges.ts";

/**
 * The state of one actor. `_id` is "machine:id". The envelope names the machine that wrote the snapshot, and its version,
 * since XState itself accepts any machine's snapshot.
 */
export type SnapshotDoc = {
  _id: string;
  machine: string;
  machineVersion: number;
  /** Rises by one with every commit; a commit replaces exactly the version that it was based on (optimistic lock). */
  version: number;
  /** JSON, as XState's getPersistedSnapshot returns it. */
  snapshot: unknown;
  /** Ids of the latest commits, to find out whether a commit of unknown outcome happened. */
  commits: string[];
  /** The actor's timers in this version, the same as its rows in `timers`; missing in snapshots of older releases. */
  timers?: StoredTimer[];
  createdAt: Date;
  updatedAt: Date;
};

/** A timer, by the machine's name for it. */
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
    /** Actors of one machine by id, at most `limit` after the one with that id ("" = from the first). */
    versionsAfter: (machine: string, after: string, limit: number) =>
      snapshots
        .find({ _id: keysWithPrefix(machine, after) })
        .sort({ _id: 1 })
        .limit(limit)
        .project<Pick<SnapshotDoc, "_id" | "machineVersion">>({ machineVersion: 1 })
        .toArray(),
    /** Actors with that value in that part of the context, at most `limit`; for machines whose actors outlive their documents. */
    async idsWhere(machine: string, part: string, value: string, limit: number): Promise<string[]> {
      const found = await snapshots
        .find({ _id: keysWithPrefix(machine), [`snapshot.context.${part}`]: value })
        .project<{ _id: string }>({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    remove: async (ids: string[]) => void (await snapshots.deleteMany({ _id: { $in: ids } })),
    /**
     * Replaces one id by another, and applies `sets` to those parts of the context that exist. The version rises, so that no
     * worker continues from its cached state. False when the actor has just committed.
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
     * Replaces the previous version of each snapshot, all of different actors; a first version is inserted. False when somebody
     * else was faster with one: then the transaction must be aborted. A first version that exists already causes a
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
