/**
 * Asks again and again, each time `everyMs` after the last answer. A failure doesn't end it: `onFailed` hears of the
 * first of a row, `onRecovered` of the first answer after it.
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
    }, everyMs);
    timer.unref();
  }

  return {
    /** Resolves with the first answer; throws what the first question throws, and then nothing was started. */
    async start(): Promise<void> {
      await poll();
      schedule();
    },
    /** No question is under way any more when it resolves. */
    async stop(): Promise<void> {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await polling;
    },
  };
}
