import type { Db } from "mongodb";
import { processClock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Readings } from "../../../base/metrics.ts";
import { clockFault, createClockWatch } from "../../../store/clocks/clock-watch.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import { requireClocks } from "../process/required-clocks.ts";
import type { CLOCK_METRICS } from "./metrics.ts";

/** Compares this host's clock with the stores' until the stop. Throws like `requireClocks`. */
export async function startHostClock(
  lifecycle: Lifecycle,
  { stores, log }: { stores: { db: Db; redis: RedisConnection }; log: Log },
): Promise<void> {
  const watch = createClockWatch({ clock: processClock, ...stores, log });
  await lifecycle.start(
    "host clock",
    () => watch.start(),
    () => watch.stop(),
  );
  requireClocks();
}

/**
 * Not ready while this host's clock is the wrong one. When a store's is, that is said, but no host would be better than another.
 */
export function clockCheck() {
  const fault = clockFault(processClock);
  const stopped = processClock.isTrusted() ? "" : "; sweeps are stopped";
  return {
    ready: processClock.wrong() !== "host",
    checks: { clock: fault === null ? "ok" : `${fault}${stopped}` },
  };
}

/** How far the time that this process goes by is ahead of the host's wall clock, ms. */
export const aheadOfHost = (): number => Math.round(processClock.now() - processClock.hostNow());

/** None of a store whose time isn't known. */
export function clockReadings(): Readings<typeof CLOCK_METRICS> {
  const offset = Object.entries(processClock.offsets()).flatMap(([store, ms]) =>
    ms === null ? [] : [{ labels: { store }, value: ms / 1_000 }],
  );
  return { offset };
}
