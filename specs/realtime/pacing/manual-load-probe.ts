import type { LoadProbe } from "../../../realtime/gateway/feed/pacing.ts";

type Waiting = { at: number; run: () => void; every: number | null };

/** A load probe with a manual clock, in steps of a millisecond, and a settable load. */
export function manualLoadProbe() {
  let time = 0;
  let load = 0;
  const waiting = new Set<Waiting>();

  function add(entry: Waiting): () => void {
    waiting.add(entry);
    return () => void waiting.delete(entry);
  }

  const probe: LoadProbe = {
    now: () => time,
    utilisation: () => load,
    // Like Node's timers: whole milliseconds, at least one.
    after: (ms, run) => add({ at: time + Math.max(1, Math.floor(ms)), run, every: null }),
    every: (ms, run) => add({ at: time + ms, run, every: ms }),
  };
  return {
    ...probe,
    /** Sets the event loop's utilisation, 0..1. */
    become: (share: number) => {
      load = share;
    },
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
