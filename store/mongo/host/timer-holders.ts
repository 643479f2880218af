import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** The heartbeat of a sweeper that leases timers: until when it counts as alive. */
type TimerHolderDoc = { _id: string; aliveUntil: Date };

export const timerHoldersCollection = defineCollection<TimerHolderDoc>("timer_holders", {
  personal: "none",
});

/**
 * Heartbeats of sweepers, separate from the timers: a heartbeat must not write rows that a commit is about to remove. There are
 * few documents, one per process.
 */
export function timerHoldersIn(db: Db) {
  const holders = timerHoldersCollection.in(db);
  return {
    /** Renews the heartbeat. */
    beat: async (holder: string, aliveUntil: Date) =>
      void (await holders.updateOne({ _id: holder }, { $set: { aliveUntil } }, { upsert: true })),
    leave: async (holder: string) => void (await holders.deleteOne({ _id: holder })),
    /** Holders whose heartbeat has expired. */
    dead: async (now: Date) =>
      (await holders.find({ aliveUntil: { $lte: now } }).toArray()).map(({ _id }) => _id),
    /** Unless they have sent a heartbeat since then. */
    removeDead: async (ids: string[], now: Date) =>
      void (await holders.deleteMany({ _id: { $in: ids }, aliveUntil: { $lte: now } })),
  };
}
