/** The only source of wall time, in Unix milliseconds. Specs hand in one that they move themselves. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };
