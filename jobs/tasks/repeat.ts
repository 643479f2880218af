import { alignedPause } from "../../base/aligned-pause.ts";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import type { Log } from "../../base/log.ts";
import { createOutageLog } from "../../base/outage-log.ts";

/** Far more than any round needs; one that takes longer waits for what never comes. */
export const MAX_ROUND_MS = 5 * MINUTE_MS;

/** Rejects after `maxMs`; what `round` does then goes on, since nothing can stop it. */
export const bounded = <T>(round: Promise<T>, maxMs: number): Promise<T> =>
  withDeadline(round, performance.now() + maxMs, () => new Error(`no end after ${maxMs / 1_000} s`));

/**
 * Runs `work` repeatedly, each run `intervalMs` after the previous one ended. A failure is logged as part of an outage, and the
 * next run comes as usual. A run that takes longer than `maxMs` counts as failed and is left alone. No run begins while `clock`
 * isn't trusted; null is for work that does nothing because of the time. `stop` waits for the running one.
 */
export function repeat(
  name: string,
  work: () => Promise<unknown>,
  {
    intervalMs,
    clock,
    log,
    maxMs = MAX_ROUND_MS,
  }: { intervalMs: number; clock: Clock | null; log: Log; maxMs?: number },
) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const outage = createOutageLog(log.child({ job: name }), "job round");

  async function attempt(): Promise<void> {
    try {
      await bounded(work(), maxMs);
      outage.succeeded();
    } catch (err) {
      outage.failed(err);
    }
  }

  async function once(): Promise<void> {
    if (clock?.isTrusted?.() !== false) await attempt();
    if (!stopped) timer = setTimeout(start, alignedPause(intervalMs));
  }

  function start(): void {
    running = once();
  }

  start();
  return {
    async stop(): Promise<void> {
      stopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}
