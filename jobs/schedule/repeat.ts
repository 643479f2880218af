import { alignedPause } from "../../store/aligned-pause.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import { createOutageLog } from "../../store/outage-log.ts";

/**
 * Runs `work` repeatedly, each run `intervalMs` after the previous one ended. A failure is logged as part of an outage, and the
 * next run comes as usual. No run begins while `clock` isn't trusted; null is for work that does nothing because of the time.
 * `stop` waits for the running one.
 */
export function repeat(
  name: string,
  work: () => Promise<unknown>,
  { intervalMs, clock, log }: { intervalMs: number; clock: Clock | null; log: Log },
) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const outage = createOutageLog(log.child({ job: name }), "job round");

  async function attempt(): Promise<void> {
    try {
      await work();
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
