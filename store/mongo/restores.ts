import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** The steps after a restore, by when each was finished. */
type RestoreSteps = Partial<Record<string, Date>>;

/** What was done after the database was restored from a backup. It is lost when that backup is restored again. */
type RestoreDoc = {
  /** The backup's time, ISO. */
  _id: string;
  begunAt: Date;
  /** Until then no file is removed because nothing refers to it. */
  filesKeptUntil: Date;
  steps: RestoreSteps;
};

export const restoresCollection = defineCollection<RestoreDoc>("restores", { personal: "none" });

export function restoresIn(db: Db) {
  const restores = restoresCollection.in(db);
  return {
    /** The steps that are finished already; idempotent by the backup's time. */
    async begin(id: string, begunAt: Date, filesKeptUntil: Date): Promise<RestoreSteps> {
      const doc = await restores.findOneAndUpdate(
        { _id: id },
        { $setOnInsert: { begunAt, filesKeptUntil, steps: {} } },
        { upsert: true, returnDocument: "after" },
      );
      return doc?.steps ?? {};
    },
    done: async (id: string, step: string, at: Date) =>
      void (await restores.updateOne({ _id: id }, { $set: { [`steps.${step}`]: at } })),
    /** Whether files are kept that nothing refers to. */
    keepsFiles: async (now: Date): Promise<boolean> =>
      (await restores.countDocuments({ filesKeptUntil: { $gt: now } }, { limit: 1 })) > 0,
  };
}
