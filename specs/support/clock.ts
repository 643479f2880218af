import type { Clock } from "../../store/clock.ts";

export type MovableClock = Clock & {
  /** Moves time on at once, for everything that was handed this clock. */
  move(ms: number): void;
};

/** Runs with the real time, from where it was moved to. */
export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    move: (ms) => {
      offset += ms;
    },
  };
}

/** Stands still but for its moves. */
export function standingClock(): MovableClock {
  let at = Date.now();
  return {
    now: () => at,
    move: (ms) => {
      at += ms;
    },
  };
}
