const BUDGET_MS = 2;

/**
 * Runs work that thousands may request at once, some milliseconds of it in each turn of the event loop, so that the
 * worker's other tasks don't wait until all of it is done. Runs in the order of the requests; at once when nothing else is
 * queued.
 */
export function createTimeSlicer(budgetMs = BUDGET_MS) {
  let waiting: (() => void)[] = [];
  let next = 0;
  let left = budgetMs;
  let scheduled = false;

  function step(work: () => void): void {
    const startedAt = performance.now();
    work();
    left -= performance.now() - startedAt;
  }

  function turn(): void {
    scheduled = false;
    left = budgetMs;
    while (left > 0) {
      const work = waiting[next++];
      if (!work) {
        waiting = [];
        next = 0;
        return;
      }
      step(work);
    }
    schedule();
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  }

  return {
    /** Rejects with what `work` throws. */
    run<Result>(work: () => Result): Promise<Result> {
      return new Promise((resolve, reject) => {
        const guarded = () => {
          try {
            resolve(work());
          } catch (err) {
            reject(err);
          }
        };
        schedule();
        if (waiting.length === 0 && left > 0) step(guarded);
        else waiting.push(guarded);
      });
    },
  };
}

export type TimeSlicer = ReturnType<typeof createTimeSlicer>;
