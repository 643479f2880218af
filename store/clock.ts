/** Wall time in Unix milliseconds, for everything with rules about time. Specs pass one that they control. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };
