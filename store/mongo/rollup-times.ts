export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The longest period that is asked for, and some. */
export const ROLLED_UP_MS = 92 * DAY_MS;
/** How long rollups are kept. */
export const ROLLUP_LIFE_SECONDS = 94 * 86_400;

/** The hour in which that is, by its beginning. */
export const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

/** The day in which that is, UTC, by its beginning. */
export const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** From its beginning on; without an end it has none yet. */
export type TimeRange = { from: Date; until?: Date };

export const within = ({ from, until }: TimeRange) =>
  until === undefined ? { $gte: from } : { $gte: from, $lt: until };
