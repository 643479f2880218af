import { Temporal } from "temporal-polyfill";
import { DAY_MS } from "../../store/durations.ts";
import type { ScheduleEntryDoc } from "../../store/mongo/schedule.ts";
import { localTimeOf, zoneClock, zoned } from "./zone-clock.ts";

const WEEK_MS = 7 * DAY_MS;
/** The longest duration of an entry. */
export const MAX_DURATION_MS = WEEK_MS;
/** Changes of the clock shift a weekly time by less than this. */
const SHIFT_MS = DAY_MS;

export type Occurrence = { entry: ScheduleEntryDoc; startsAt: Date; endsAt: Date | null; weekday: number };
type Range = { from: Date; to: Date };

/** Whether this is a name of the IANA time zone database. */
export function isTimeZone(name: string): boolean {
  // Temporal also accepts offsets, but they don't define when clocks change.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Now.zonedDateTimeISO(name);
    return true;
  } catch (err) {
    if (err instanceof RangeError) return false;
    throw err;
  }
}

/** 0 is Sunday. */
export const weekdayOf = (at: Date, timeZone: string): number => zoned(at, timeZone).dayOfWeek % 7;

/**
 * The occurrences of entries between two times, the earliest first; weekly entries are expanded. They keep their local time when
 * clocks change; a time skipped when clocks are set forward is moved later by what was skipped.
 */
export function occurrencesOf(entries: readonly ScheduleEntryDoc[], range: Range): Occurrence[] {
  const { from, to } = range;
  const clockOf = clocksAround(range);
  const all = entries.flatMap((entry) => [...timesOf(entry, range, clockOf)]);
  return all
    .filter(({ startsAt, endsAt }) => startsAt < to && (endsAt ?? startsAt) >= from)
    .sort((one, other) => +one.startsAt - +other.startsAt || (one.entry._id < other.entry._id ? -1 : 1));
}

type Clock = (shown: number) => Date;

/** One cached clock per time zone, which covers all times needed for the range. */
function clocksAround({ from, to }: Range): (timeZone: string) => Clock {
  const clocks = new Map<string, Clock>();
  const around = {
    from: new Date(+from - MAX_DURATION_MS - 2 * SHIFT_MS),
    to: new Date(+to + MAX_DURATION_MS + 2 * SHIFT_MS),
  };
  return (timeZone) => {
    const clock = clocks.get(timeZone) ?? zoneClock(timeZone, around);
    clocks.set(timeZone, clock);
    return clock;
  };
}

function* timesOf(
  entry: ScheduleEntryDoc,
  { from, to }: Range,
  clockOf: (timeZone: string) => Clock,
): Generator<Occurrence> {
  const { startsAt, endsAt, timeZone } = entry;
  const weekday = weekdayOf(startsAt, timeZone);
  if (!entry.isRecurring) return yield { entry, startsAt, endsAt, weekday };
  const clock = clockOf(timeZone);
  const begins = localTimeOf(startsAt, timeZone);
  const ends = endsAt === null ? null : localTimeOf(endsAt, timeZone);
  const lasts = endsAt ? +endsAt - +startsAt : 0;
  const first = Math.max(0, Math.floor((+from - lasts - SHIFT_MS - +startsAt) / WEEK_MS));
  for (let weeks = first; +startsAt + weeks * WEEK_MS < +to + SHIFT_MS; weeks++) {
    const later = weeks * WEEK_MS;
    yield {
      entry,
      startsAt: clock(begins + later),
      endsAt: ends === null ? null : clock(ends + later),
      weekday,
    };
  }
}
