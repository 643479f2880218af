import { alignedPause } from "./aligned-pause.ts";

/**
 * Polls repeatedly, each time `everyMs` after the last result. A failure doesn't end it: `onFailed` is called for the
 * first failure in a row, `onRecovered` for the first success after it.
 */
export function createPolling(deps: {
  everyMs: number;
  poll: () => Promise<void>;
  onFailed: (err: unknown) => void;
  onRecovered?: () => void;
}) {
  const { everyMs, poll, onFailed, onRecovered } = deps;
  let isFailing = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let polling: Promise<void> = Promise.resolve();

  async function attempt(): Promise<void> {
    try {
      await poll();
      if (isFailing) onRecovered?.();
      isFailing = false;
    } catch (err) {
      if (!isFailing) onFailed(err);
      isFailing = true;
    }
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      polling = attempt().finally(schedule);
    }, alignedPause(everyMs));
    timer.unref();
  }

  return {
    /** Resolves after the first poll; if that throws, start throws too, and polling isn't started. */
    async start(): Promise<void> {
      await poll();
      schedule();
    },
    /** When it resolves, no poll is running any more. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await polling;
    },
  };
}
