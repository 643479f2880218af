import type { Db } from "mongodb";
import { processClock } from "../../../base/clock.ts";
import { clockFault, farthestMs, measureClock } from "../../../store/clocks/clock-watch.ts";
import { StartError } from "./start-error.ts";

/** A larger difference is a mistake in the set-up of a machine, and no drift. */
const MAX_APART_MS = 30_000;

/** Throws a StartError when the clocks of this host and a store differ by more than half a minute. */
export function requireClocks(): void {
  if (farthestMs(processClock.offsets()) <= MAX_APART_MS) return;
  throw new StartError(
    `The clocks differ too much: ${clockFault(processClock)}. Synchronize them (NTP), then start again.`,
  );
}

/** For commands that write times: from now on this process goes by MongoDB's. Throws like `requireClocks`. */
export async function followMongoTime(db: Db): Promise<void> {
  await measureClock(processClock, { db, redis: null });
  requireClocks();
}
