import { Temporal } from "temporal-polyfill";
import type { ScheduleEntryDoc } from "../../store/mongo/schedule.ts";

const WEEK_MS = 7 * 86_400_000;
/** Clocks that change shift a week's time by less than this. */
const SHIFT_MS = 86_400_000;

export type Occurrence = { entry: ScheduleEntryDoc; startsAt: Date; endsAt: Date | null };

/** False for what isn't a name of the IANA database. */
export function isTimeZone(name: string): boolean {
  // Offsets, which it takes as well, don't say when clocks change.
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

export const zoned = (at: Date, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/**
 * What of entries is on between two times, the earliest first; one that comes every week as often as it does. It keeps
 * the time of its clock when that changes; a time that the clock leaves out is as much later as was left out.
 */
export function occurrencesOf(
  entries: readonly ScheduleEntryDoc[],
  { from, to }: { from: Date; to: Date },
): Occurrence[] {
  const all = entries.flatMap((entry) => [...timesOf(entry, from, to)]);
  return all
    .filter(({ startsAt, endsAt }) => startsAt < to && (endsAt ?? startsAt) >= from)
    .sort((one, other) => +one.startsAt - +other.startsAt || (one.entry._id < other.entry._id ? -1 : 1));
}

function* timesOf(entry: ScheduleEntryDoc, from: Date, to: Date): Generator<Occurrence> {
  const { startsAt, endsAt, timeZone } = entry;
  if (!entry.isRecurring) return yield { entry, startsAt, endsAt };
  const lasts = endsAt ? +endsAt - +startsAt : 0;
  const first = Math.max(0, Math.floor((+from - lasts - SHIFT_MS - +startsAt) / WEEK_MS));
  const inWeek = (at: Date, weeks: number) =>
    new Date(
      zoned(at, timeZone).toPlainDateTime().add({ weeks }).toZonedDateTime(timeZone).epochMilliseconds,
    );
  for (let weeks = first; +startsAt + weeks * WEEK_MS < +to + SHIFT_MS; weeks++) {
    yield { entry, startsAt: inWeek(startsAt, weeks), endsAt: endsAt && inWeek(endsAt, weeks) };
  }
}
