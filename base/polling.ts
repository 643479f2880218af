import { alignedPause } from "./aligned-pause.ts";
import type { Log } from "./log.ts";
import { createOutageLog } from "./outage-log.ts";

/**
 * Polls repeatedly, each time `everyMs` after the last poll began, or half of that after its result if that was late. A failure
 * doesn't end it, and is logged as part of an outage of `what`.
 */
export function createPolling(deps: { everyMs: number; poll: () => Promise<void>; what: string; log: Log }) {
  const { everyMs, poll } = deps;
  const outage = createOutageLog(deps.log, deps.what);
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let polling: Promise<void> = Promise.resolve();

  async function attempt(): Promise<void> {
    try {
      await poll();
      outage.succeeded();
    } catch (err) {
      outage.failed(err);
    }
  }

  function schedule(begunAt: number): void {
    if (isStopped) return;
    const now = performance.now();
    timer = setTimeout(
      () => {
        const startedAt = performance.now();
        polling = attempt().finally(() => schedule(startedAt));
      },
      alignedPause(everyMs, now, begunAt),
    );
    timer.unref();
  }

  return {
    /** Resolves after the first poll; if that throws, start throws too, and polling isn't started. */
    async start(): Promise<void> {
      const startedAt = performance.now();
      await poll();
      schedule(startedAt);
    },
    /** When it resolves, no poll is running any more. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await polling;
    },
  };
}
