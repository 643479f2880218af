import { DAY_MS } from "../../../base/durations.ts";
import type { ScheduleEntryDoc } from "../../../store/mongo/channels/schedule.ts";
import { instantOf, type LocalTime, localTimeOf, timeOfDay } from "../time-zones/local-time.ts";
import { type Zone, zoneOf } from "../time-zones/zones.ts";

export const WEEK_MS = 7 * DAY_MS;

/** A day on an entry's clock, such as "2026-12-24". */
export type Day = string;

export const dayOf = (shown: LocalTime): Day => new Date(shown).toISOString().slice(0, 10);
const midnightOf = (day: Day): LocalTime => Date.parse(day);

/** What defines the weeks of a weekly entry. */
type Weekly = Pick<ScheduleEntryDoc, "startsAt" | "timeZone" | "lastDay" | "pause" | "exceptions">;

/** Weeks of a weekly entry, by their number from 0. A week is named by the day on which it starts, also where it was moved. */
export type Weeks = {
  zone: Zone;
  /** What the clock shows when it starts, if it wasn't moved. */
  shownAt(week: number): LocalTime;
  startOf(week: number): number;
  /** The number of the week that starts on a day; null if none does, or only after the entry's end. */
  weekOn(day: Day): number | null;
  /** The last one, and without an end `Infinity`; below 0 if it is paused from the first week on. */
  last: number;
  /** No pause has it. */
  isOn(week: number): boolean;
  /** Those of a pause that ends, up to `last`. */
  paused: readonly number[];
  /** Skipped (null) and moved weeks that aren't paused. */
  exceptions: ReadonlyMap<number, Date | null>;
};

export function weeksOf({ startsAt, timeZone, lastDay, pause, exceptions }: Weekly): Weeks {
  const zone = zoneOf(timeZone);
  const first = localTimeOf(+startsAt, zone);
  const firstMidnight = first - timeOfDay(first);
  const weekUntil = (day: Day) => Math.floor((midnightOf(day) - firstMidnight) / WEEK_MS);
  const weekFrom = (day: Day) => Math.ceil((midnightOf(day) - firstMidnight) / WEEK_MS);

  const end = lastDay ? weekUntil(lastDay) : Number.POSITIVE_INFINITY;
  const pausedFrom = pause ? Math.max(0, weekFrom(pause.from)) : Number.POSITIVE_INFINITY;
  const pausedUntil = pause?.until ? weekUntil(pause.until) : Number.POSITIVE_INFINITY;
  const last = pausedUntil < Number.POSITIVE_INFINITY ? end : Math.min(end, pausedFrom - 1);
  const isOn = (week: number) => week <= last && (week < pausedFrom || week > pausedUntil);

  function weekOn(day: Day): number | null {
    const week = weekUntil(day);
    return week >= 0 && week <= end && week === weekFrom(day) ? week : null;
  }

  return {
    zone,
    shownAt: (week) => first + week * WEEK_MS,
    // The first as given: its clock may show that time twice.
    startOf: (week) => (week === 0 ? +startsAt : instantOf(first + week * WEEK_MS, zone)),
    weekOn,
    last,
    isOn,
    paused:
      pausedUntil < Number.POSITIVE_INFINITY
        ? Array.from(
            { length: Math.max(0, Math.min(pausedUntil, last) - pausedFrom + 1) },
            (_, i) => pausedFrom + i,
          )
        : [],
    exceptions: new Map(
      (exceptions ?? []).flatMap(({ day, movedTo }): [number, Date | null][] => {
        const week = weekOn(day);
        return week !== null && isOn(week) ? [[week, movedTo]] : [];
      }),
    ),
  };
}
