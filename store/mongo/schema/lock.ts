import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "mongodb";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Progress } from "./progress.ts";
import { LockLost } from "./schema-error.ts";
import { throughOutages } from "./through-outages.ts";

type LockDoc = { _id: "migrations"; holder: string; until: Date };

const POLL_MS = 100;

/**
 * Waits for the migration lock, and renews it while `work` runs. A holder that hasn't renewed it for `lockMs` loses it: `work`
 * calls `hold` before anything that only the holder may do, and `hold` throws if the lock was lost (fencing). All times
 * are the server's, since workers' clocks differ.
 */
export async function underLock(
  db: Db,
  {
    log,
    lockMs,
    progress,
    signal,
  }: {
    log: Log;
    lockMs: number;
    progress: Progress;
    /** Ends the wait. */
    signal: AbortSignal;
  },
  work: (hold: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const locks = db.collection<LockDoc>("locks");
  const holder = newId();
  const until = { $add: ["$$NOW", lockMs] };

  async function take(): Promise<boolean> {
    const isFree = { $lte: [{ $ifNull: ["$until", null] }, "$$NOW"] };
    const taken = {
      holder: { $cond: [isFree, holder, "$holder"] },
      until: { $cond: [isFree, until, "$until"] },
    };
    try {
      const lock = await locks.findOneAndUpdate({ _id: "migrations" }, [{ $set: taken }], {
        upsert: true,
        returnDocument: "after",
      });
      return lock?.holder === holder;
    } catch (err) {
      // Two processes created the lock at the same moment.
      if (isDuplicateKey(err)) return false;
      throw err;
    }
  }

  async function renew(): Promise<boolean> {
    const { matchedCount } = await locks.updateOne({ _id: "migrations", holder }, [{ $set: { until } }]);
    return matchedCount === 1;
  }

  async function hold(): Promise<void> {
    if (!(await renew())) throw new LockLost();
  }

  await progress.during("Waiting for another process that migrates the database", async () => {
    while (!(await throughOutages({ log, signal }, take))) await pause(POLL_MS, undefined, { signal });
  });
  const renewing = setInterval(() => {
    hold().catch((err: unknown) => log.warn({ err }, "migration lock not renewed"));
  }, lockMs / 4);
  try {
    await work(hold);
  } finally {
    clearInterval(renewing);
    await locks.deleteOne({ _id: "migrations", holder });
  }
}
