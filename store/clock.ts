/** The only source of wall time, in Unix milliseconds. Specs pass one that they control. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };
