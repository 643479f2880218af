import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** What the steps after a restore ended or wrote back, in all runs. */
export type RestoreCounts = { sessions: number; grants: number; bans: number };

/** The steps after a restore, by when each was finished. */
type RestoreProgress = { steps: Partial<Record<string, Date>>; counts: RestoreCounts };

/** What was done after the database was restored from a backup. It is lost when that backup is restored again. */
type RestoreDoc = {
  /** The backup's time, ISO. */
  _id: string;
  begunAt: Date;
  /** Until then no file is removed because nothing refers to it. */
  filesKeptUntil: Date;
  /** Null while a step is missing: no worker may run before. */
  finishedAt: Date | null;
} & RestoreProgress;

const NONE: RestoreCounts = { sessions: 0, grants: 0, bans: 0 };

export const restoresCollection = defineCollection<RestoreDoc>("restores", { personal: "none" });

export function restoresIn(db: Db) {
  const restores = restoresCollection.in(db);
  return {
    /** The steps that are finished already; idempotent by the backup's time. */
    async begin(id: string, begunAt: Date, filesKeptUntil: Date): Promise<RestoreProgress> {
      const doc = await restores.findOneAndUpdate(
        { _id: id },
        { $setOnInsert: { begunAt, filesKeptUntil, finishedAt: null, steps: {}, counts: NONE } },
        { upsert: true, returnDocument: "after" },
      );
      return { steps: doc?.steps ?? {}, counts: doc?.counts ?? NONE };
    },
    /** Until `finish` it counts as unfinished, again if it was finished for less. */
    resume: async (id: string) =>
      void (await restores.updateOne({ _id: id }, { $set: { finishedAt: null } })),
    /** Records a step and adds what it did; returns what all steps did. */
    async done(id: string, step: string, at: Date, did: Partial<RestoreCounts>): Promise<RestoreCounts> {
      const added = Object.fromEntries(Object.entries(did).map(([what, count]) => [`counts.${what}`, count]));
      const doc = await restores.findOneAndUpdate(
        { _id: id },
        { $set: { [`steps.${step}`]: at }, $inc: added },
        { returnDocument: "after" },
      );
      return doc?.counts ?? NONE;
    },
    finish: async (id: string, at: Date) =>
      void (await restores.updateOne({ _id: id }, { $set: { finishedAt: at } })),
    /** Takes back a beginning of which no step was finished. */
    cancel: async (id: string) => void (await restores.deleteOne({ _id: id, steps: {} })),
    /** The time of a backup after whose restore a step is missing. */
    unfinished: async (): Promise<string | null> =>
      (await restores.findOne({ finishedAt: null }, { projection: { _id: 1 } }))?._id ?? null,
    /** Whether files are kept that nothing refers to. */
    keepsFiles: async (now: Date): Promise<boolean> =>
      (await restores.countDocuments({ filesKeptUntil: { $gt: now } }, { limit: 1 })) > 0,
  };
}
