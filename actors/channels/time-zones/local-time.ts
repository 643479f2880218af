import { DAY_MS } from "../../../base/durations.ts";
import type { Zone } from "./zones.ts";

/** What a zone's clock shows, as Unix ms of the same figures in UTC: arithmetic with whole days keeps the time of day. */
export type LocalTime = number;

export const localTimeOf = (at: number, zone: Zone): LocalTime => at + aheadAt(at, zone);

/**
 * The instant (Unix ms) at which the clock shows a time: of a time that occurs twice the first; a time that is skipped when the
 * clock is set forward is moved later by what was skipped.
 */
export function instantOf(shown: LocalTime, zone: Zone): number {
  const [early, late] = candidates(shown, zone);
  return localTimeOf(early, zone) === shown ? early : late;
}

/** Whether the clock is set back so that it shows a time once more. */
export function isShownTwice(shown: LocalTime, zone: Zone): boolean {
  const [early, late] = candidates(shown, zone);
  return early < late && [early, late].every((at) => localTimeOf(at, zone) === shown);
}

/** By what holds before and after a change around then: no zone is ahead or behind by a day, and no two changes are that close. */
function candidates(shown: LocalTime, zone: Zone): [early: number, late: number] {
  const [before, after] = [aheadAt(shown - DAY_MS, zone), aheadAt(shown + DAY_MS, zone)];
  return [shown - Math.max(before, after), shown - Math.min(before, after)];
}

/** Ms ahead of UTC. */
const aheadAt = (at: number, zone: Zone): number =>
  (zone.changes[changeIndexAt(at, zone)] ?? zone.first).ahead;

/** The index of the last change at `at` or before; -1 before the first. */
export function changeIndexAt(at: number, { changes }: Zone): number {
  let [low, high] = [-1, changes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((changes[middle]?.at ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Ms since midnight. */
export const timeOfDay = (shown: LocalTime): number => ((shown % DAY_MS) + DAY_MS) % DAY_MS;
