import { setTimeout as pause } from "node:timers/promises";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";

/** Six of MongoDB's own election timeouts. */
const AWAY_FOR_MS = 60_000;
const AGAIN_AFTER_MS = 1_000;

/**
 * Repeats `work` while MongoDB is unavailable, as during an election; so `work` may be interrupted and run again. Rejects
 * with its error once MongoDB has been away for a minute.
 */
export async function throughOutages<T>(
  { log, signal }: { log: Log; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const outage = createOutageLog(log, "schema command");
  for (let awaySince: number | null = null; ; ) {
    const startedAt = performance.now();
    try {
      const done = await work();
      outage.succeeded();
      return done;
    } catch (err) {
      if (!isMongoUnavailable(err) || signal.aborted) throw err;
      const now = performance.now();
      // A long try was no outage, before it failed.
      if (awaySince === null || now - startedAt > AWAY_FOR_MS) awaySince = now;
      if (now - awaySince > AWAY_FOR_MS) throw err;
      outage.failed(err);
      await pause(AGAIN_AFTER_MS, undefined, { signal });
    }
  }
}
