import { alignedPause } from "../../store/aligned-pause.ts";
import type { Log } from "../../store/log.ts";

/**
 * Runs `work` repeatedly, each run `intervalMs` after the previous one ended. A failure is logged, and the next run comes
 * as usual. `stop` waits for the running one.
 */
export function repeat(name: string, work: () => Promise<unknown>, intervalMs: number, log: Log) {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  async function once(): Promise<void> {
    try {
      await work();
    } catch (err) {
      log.warn({ err, job: name }, "a job's round failed");
    }
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
