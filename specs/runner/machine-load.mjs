// How much the machine has to do, for who can wait with more.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** Threads that want to run, for each processor: beyond, what begins only takes time from what goes on. */
const FULL = 4;
const SAMPLE_EVERY_MS = 100;
/** Weight of the newest sample: the mean is that of about two seconds. */
const WEIGHT = 0.05;
const WAITS_AT_MOST_MS = 30_000;

/** Watches how many threads want to run, until `signal`. Only Linux says it; elsewhere there is always room. */
export function watchMachine(signal) {
  let mean = 0;
  const timer = setInterval(() => {
    mean += WEIGHT * (threadsRunning() - mean);
  }, SAMPLE_EVERY_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });

  return {
    /** Resolves once the machine isn't full, or after half a minute. */
    async untilThereIsRoom() {
      const until = performance.now() + WAITS_AT_MOST_MS;
      while (mean > FULL * availableParallelism() && performance.now() < until && !signal.aborted)
        await pause(SAMPLE_EVERY_MS);
    },
  };
}

/** Running and runnable ones, without the one that reads. */
function threadsRunning() {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 1) - 1;
  } catch (err) {
    if (err.code === "ENOENT") return 0;
    throw err;
  }
}
