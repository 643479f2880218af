import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";

/** The longest period that can be requested and the one before, with some margin. */
export const ROLLED_UP_MS = 182 * DAY_MS;
/** How long rollups are kept. */
export const ROLLUP_LIFE_SECONDS = 184 * 86_400;

/** The start of the hour that contains `at`. */
export const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

/** The start of the day (UTC) that contains `at`. */
export const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** `from` is inclusive, `until` exclusive; without `until` it is open-ended. */
export type TimeRange = { from: Date; until?: Date };

export const rangeFilter = ({ from, until }: TimeRange) =>
  until === undefined ? { $gte: from } : { $gte: from, $lt: until };
