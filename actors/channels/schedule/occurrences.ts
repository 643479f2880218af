import type { ScheduleEntryDoc } from "../../../store/mongo/channels/schedule.ts";
import { localTimeOf } from "../time-zones/local-time.ts";
import { zoneOf } from "../time-zones/zones.ts";
import { type Day, dayOf, WEEK_MS, weeksOf } from "./weeks.ts";

/** The longest duration of an entry. */
export const MAX_DURATION_MS = WEEK_MS;

export type Occurrence = {
  entry: ScheduleEntryDoc;
  startsAt: Date;
  endsAt: Date | null;
  /** That on which a weekly entry would start this week if the week weren't moved. */
  day: Day;
};
type Range = { from: Date; to: Date };

/** 0 is Sunday. */
export const weekdayOf = (at: Date, timeZone: string): number =>
  new Date(localTimeOf(+at, zoneOf(timeZone))).getUTCDay();

/**
 * The occurrences of entries between two times, the earliest first; weekly entries are expanded. They keep their local time when
 * clocks change; a time skipped when clocks are set forward is moved later by what was skipped. Each lasts as long as the first.
 */
export function occurrencesOf(entries: readonly ScheduleEntryDoc[], range: Range): Occurrence[] {
  const { from, to } = range;
  return entries
    .flatMap((entry) => [...timesOf(entry, range)])
    .filter(({ startsAt, endsAt }) => startsAt < to && (endsAt ?? startsAt) >= from)
    .sort((one, other) => +one.startsAt - +other.startsAt || (one.entry._id < other.entry._id ? -1 : 1));
}

/** Those of the range, and some around it. */
function* timesOf(entry: ScheduleEntryDoc, range: Range): Generator<Occurrence> {
  if (!entry.isRecurring) return yield firstOf(entry);
  const weeks = weeksOf(entry);
  const lasts = entry.endsAt && +entry.endsAt - +entry.startsAt;
  const occurrence = (week: number, at: number): Occurrence => ({
    entry,
    startsAt: new Date(at),
    endsAt: lasts === null ? null : new Date(at + lasts),
    day: dayOf(weeks.shownAt(week)),
  });

  // A change of the clock shifts a week by less than another one.
  const first = Math.max(0, Math.floor((+range.from - (lasts ?? 0) - +entry.startsAt) / WEEK_MS) - 1);
  const last = Math.min(weeks.last, Math.ceil((+range.to - +entry.startsAt) / WEEK_MS) + 1);
  for (let week = first; week <= last; week++)
    if (weeks.isOn(week) && !weeks.exceptions.has(week)) yield occurrence(week, weeks.startOf(week));
  for (const [week, movedTo] of weeks.exceptions) if (movedTo) yield occurrence(week, +movedTo);
}

/** The entry itself: its first week as the rule has it. */
export function firstOf(entry: ScheduleEntryDoc): Occurrence {
  const { startsAt, endsAt, timeZone } = entry;
  return { entry, startsAt, endsAt, day: dayOf(localTimeOf(+startsAt, zoneOf(timeZone))) };
}
