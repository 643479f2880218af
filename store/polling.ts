import { alignedPause } from "./aligned-pause.ts";

/**
 * Polls repeatedly, each time `everyMs` after the last poll began, or half of that after its result if that was late. A failure
 * doesn't end it: `onFailed` is called for the first failure in a row, `onRecovered` for the first success after it.
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
