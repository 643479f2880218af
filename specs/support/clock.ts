import type { Clock } from "../../base/clock.ts";

export type MovableClock = Clock & {
  /** Advances the time at once, for everything that uses this clock. */
  move(ms: number): void;
};

/** Runs at real speed, offset by its moves. */
export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    move: (ms) => {
      offset += ms;
    },
  };
}

/** A clock that changes only by its moves. */
export function standingClock(): MovableClock {
  let at = Date.now();
  return {
    now: () => at,
    move: (ms) => {
      at += ms;
    },
  };
}
