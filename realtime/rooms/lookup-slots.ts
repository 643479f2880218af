import { overloaded } from "./admission-queue.ts";

/** With more of them waiting, look-ups are refused at once. */
const MAX_WAITING = 4_096;

type Waiting = { deadline: number; begin(): void; refuse(): void };

/**
 * Bounds how much of the shared pool of connections look-ups of messages take, so that nothing else of the worker (endings of
 * sessions, names, health) waits behind them. What waits begins in its order; past its deadline it isn't begun.
 */
export function createLookupSlots(most: number) {
  const waiting = new Set<Waiting>();
  let running = 0;

  function leave(): void {
    running--;
    const now = performance.now();
    for (const next of waiting) {
      waiting.delete(next);
      if (now >= next.deadline) {
        next.refuse();
        continue;
      }
      running++;
      next.begin();
      return;
    }
  }

  /** `deadline` by performance.now(). Rejects with unavailable when its turn comes later than that: the caller gives up by itself before. */
  function enter(deadline: number): Promise<void> | undefined {
    if (running < most) {
      running++;
      return undefined;
    }
    if (waiting.size >= MAX_WAITING) throw overloaded();
    return new Promise((begin, reject) => {
      waiting.add({ deadline, begin, refuse: () => reject(overloaded()) });
    });
  }

  return {
    enter,
    leave,
    async run<T>(work: () => Promise<T>, deadline = Number.POSITIVE_INFINITY): Promise<T> {
      await enter(deadline);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

export type LookupSlots = ReturnType<typeof createLookupSlots>;
