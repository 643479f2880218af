import type { ClientSession, Db, IndexDescription } from "mongodb";

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
  createdAt: Date;
  updatedAt: Date;
};

export const snapshotIndexes = [
  { key: { machine: 1, machineVersion: 1, _id: 1 } }, // which snapshots a new machine version has to read
] satisfies IndexDescription[];

export function snapshotsIn(db: Db) {
  const snapshots = db.collection<SnapshotDoc>("snapshots");
  return {
    find: (actor: string) => snapshots.findOne({ _id: actor }),
    /**
     * Puts a version in the place of the one before it (0 = there was none). False when somebody else was
     * faster; a first version that exists already is a duplicate key.
     */
    async replace(doc: SnapshotDoc, expectedVersion: number, session: ClientSession): Promise<boolean> {
      if (expectedVersion === 0) {
        await snapshots.insertOne(doc, { session });
        return true;
      }
      const filter = { _id: doc._id, version: expectedVersion };
      return (await snapshots.replaceOne(filter, doc, { session })).matchedCount === 1;
    },
  };
}

export type Snapshots = ReturnType<typeof snapshotsIn>;
