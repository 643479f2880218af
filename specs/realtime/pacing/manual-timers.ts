import type { PacerTimers } from "../../../realtime/gateway/feed/pacing.ts";

type Waiting = { at: number; run: () => void; every: number | null };

/** Timers with a manual clock, in steps of a millisecond. */
export function manualTimers() {
  let time = 0;
  const waiting = new Set<Waiting>();

  function add(entry: Waiting): () => void {
    waiting.add(entry);
    return () => void waiting.delete(entry);
  }

  const timers: PacerTimers = {
    now: () => time,
    // Like Node's timers: whole milliseconds, at least one.
    after: (ms, run) => add({ at: time + Math.max(1, Math.floor(ms)), run, every: null }),
    every: (ms, run) => add({ at: time + ms, run, every: ms }),
  };
  return {
    ...timers,
    pass(ms: number): void {
      for (const end = time + ms; time < end; ) {
        time++;
        for (const entry of [...waiting].filter(({ at }) => at <= time)) {
          if (entry.every === null) waiting.delete(entry);
          else entry.at += entry.every;
          entry.run();
        }
      }
    },
    /** Number of pending timers. */
    waiting: () => waiting.size,
  };
}
