import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** How far a long job has come, so that the next process goes on there when this one dies. */
export type JobCursorDoc<Progress> = { _id: string; progress: Progress; updatedAt: Date };

export const jobCursorsCollection = defineCollection<JobCursorDoc<unknown>>("job_cursors", {
  personal: "none",
});

/** Kept by job names; a job that is done has none. */
export function jobCursorsIn<Progress>(db: Db, job: string) {
  const cursors = jobCursorsCollection.in<JobCursorDoc<Progress>>(db);
  return {
    async find(): Promise<Progress | null> {
      const doc = await cursors.findOne({ _id: job });
      return doc?.progress ?? null;
    },
    async keep(progress: Progress, now: Date): Promise<void> {
      await cursors.updateOne({ _id: job }, { $set: { progress, updatedAt: now } }, { upsert: true });
    },
    async done(): Promise<void> {
      await cursors.deleteOne({ _id: job });
    },
  };
}
