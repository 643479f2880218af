import { DAY_MS } from "../../../base/durations.ts";
import type { ScheduleEntryUpdate } from "../../../contract/wire.ts";
import type { ScheduleEntryDoc } from "../../../store/mongo/channels/schedule.ts";
import { dayFrom, refused, timeOf } from "./times.ts";
import { dayOf, weeksOf } from "./weeks.ts";

/** A pause that ends becomes a list of weeks in the calendar. */
const MAX_PAUSE_DAYS = 366;

type Entry = Pick<ScheduleEntryDoc, "startsAt" | "isRecurring" | "timeZone">;
type Recurrence = Required<Pick<ScheduleEntryDoc, "lastDay" | "pause" | "exceptions">>;
type Input = Pick<ScheduleEntryUpdate, "recurrence_until" | "recurrence_pause" | "recurrence_exceptions">;
/** What may move the first day past the end from before. */
type Moved = Pick<ScheduleEntryUpdate, "starts_at" | "time_zone">;

/**
 * A weekly entry's end, pause and single weeks, as given or else as before. Single weeks from before that the changed entry
 * doesn't have are dropped; given ones must be weeks of it. Throws `validation_failed`.
 */
export function recurrenceOf(input: Input & Moved, entry: Entry, before: Partial<Recurrence>): Recurrence {
  const { recurrence_until: until, recurrence_pause: pause, recurrence_exceptions: exceptions } = input;
  if (!entry.isRecurring) {
    if (until) throw notRecurring("recurrence_until");
    if (pause) throw notRecurring("recurrence_pause");
    if (exceptions?.length) throw notRecurring("recurrence_exceptions");
    return { lastDay: null, pause: null, exceptions: [] };
  }
  const given = until ? dayFrom(until, "/body/recurrence_until") : until;
  const ended = { ...entry, lastDay: given === undefined ? (before.lastDay ?? null) : given };
  const weeks = weeksOf(ended);
  if (ended.lastDay !== null && ended.lastDay < dayOf(weeks.shownAt(0)))
    throw given === undefined
      ? refused(
          `/body/${input.starts_at === undefined ? "time_zone" : "starts_at"}`,
          "before",
          "must have the first day by recurrence_until",
        )
      : refused("/body/recurrence_until", "after", "must not be before the day of starts_at");
  return {
    lastDay: ended.lastDay,
    pause: pause === undefined ? (before.pause ?? null) : pauseOf(pause),
    exceptions: exceptions
      ? exceptionsOf(exceptions, weeks.weekOn)
      : (before.exceptions ?? []).filter(({ day }) => weeks.weekOn(day) !== null),
  };
}

function pauseOf(pause: Input["recurrence_pause"]): Recurrence["pause"] {
  if (!pause) return null;
  const from = dayFrom(pause.from, "/body/recurrence_pause/from");
  const until = pause.until ? dayFrom(pause.until, "/body/recurrence_pause/until") : null;
  if (until !== null && until < from)
    throw refused("/body/recurrence_pause/until", "after", "must not be before from");
  if (until !== null && Date.parse(until) - Date.parse(from) > MAX_PAUSE_DAYS * DAY_MS)
    throw refused("/body/recurrence_pause/until", "range", `must be within ${MAX_PAUSE_DAYS} days of from`);
  return { from, until };
}

function exceptionsOf(
  given: NonNullable<Input["recurrence_exceptions"]>,
  weekOn: (day: string) => number | null,
): Recurrence["exceptions"] {
  const seen = new Set<string>();
  return given.map(({ date: day, moved_to: movedTo = null }, i) => {
    const path = `/body/recurrence_exceptions/${i}`;
    if (weekOn(dayFrom(day, `${path}/date`)) === null)
      throw refused(`${path}/date`, "week", "must be a day on which the entry starts, in its time_zone");
    if (seen.has(day)) throw refused(`${path}/date`, "uniqueItems", "must not be listed twice");
    seen.add(day);
    return { day, movedTo: movedTo === null ? null : timeOf(movedTo, `${path}/moved_to`) };
  });
}

const notRecurring = (field: keyof Input) =>
  refused(`/body/${field}`, "recurring", "is of entries with is_recurring alone");
