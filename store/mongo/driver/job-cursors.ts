import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** The progress of a long job, so that the next process resumes there if this one dies. */
type JobCursorDoc<Progress> = { _id: string; progress: Progress; updatedAt: Date };

export const jobCursorsCollection = defineCollection<JobCursorDoc<unknown>>("job_cursors", {
  personal: "none",
});

/** By job name; a finished job has none. */
export function jobCursorsIn<Progress>(db: Db, job: string) {
  const cursors = jobCursorsCollection.in<JobCursorDoc<Progress>>(db);
  const find = async (): Promise<Progress | null> => (await cursors.findOne({ _id: job }))?.progress ?? null;
  const keep = async (progress: Progress, now: Date): Promise<void> =>
    void (await cursors.updateOne({ _id: job }, { $set: { progress, updatedAt: now } }, { upsert: true }));
  const done = async (): Promise<void> => void (await cursors.deleteOne({ _id: job }));
  return {
    find,
    keep,
    done,
    /** Runs all parts in sequence, resuming after a crash where the last run stopped. Returns the last part's progress. */
    async walk(
      first: Progress,
      part: (before: Progress) => Promise<{ progress: Progress; isLast: boolean }>,
      now: () => Date,
    ): Promise<Progress> {
      let before = (await find()) ?? first;
      for (;;) {
        const { progress, isLast } = await part(before);
        if (isLast) {
          await done();
          return progress;
        }
        await keep(progress, now());
        before = progress;
      }
    },
  };
}
