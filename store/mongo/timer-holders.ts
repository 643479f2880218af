import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** A sweeper that has timers in hand, and until when it is taken for alive. */
type TimerHolderDoc = { _id: string; aliveUntil: Date };

export const timerHoldersCollection = defineCollection<TimerHolderDoc>("timer_holders");

/**
 * Who fires timers, beside the timers: a sign of life must not touch rows that a commit is about to remove. A handful of
 * documents, one a process.
 */
export function timerHoldersIn(db: Db) {
  const holders = timerHoldersCollection.in(db);
  return {
    /** Says that this one lives. */
    beat: async (holder: string, aliveUntil: Date) =>
      void (await holders.updateOne({ _id: holder }, { $set: { aliveUntil } }, { upsert: true })),
    leave: async (holder: string) => void (await holders.deleteOne({ _id: holder })),
    /** Those that have said nothing for too long. */
    dead: async (now: Date) =>
      (await holders.find({ aliveUntil: { $lte: now } }).toArray()).map(({ _id }) => _id),
    remove: async (ids: string[]) => void (await holders.deleteMany({ _id: { $in: ids } })),
  };
}
