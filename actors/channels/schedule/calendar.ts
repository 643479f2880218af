import type { ScheduleEntryDoc } from "../../../store/mongo/channels/schedule.ts";
import { isShownTwice, type LocalTime, localTimeOf } from "../time-zones/local-time.ts";
import { UTC, type Zone, zoneOf } from "../time-zones/zones.ts";
import { asDuration, asLocal, asText, asUtc, joined } from "./content-lines.ts";
import { vtimezoneLines } from "./vtimezone.ts";
import { type Weeks, weeksOf } from "./weeks.ts";

type Channel = { name: string; url: string };
/** When the zone's clock shows the start, and the line that says until when, if anything does. */
type Times = { zone: Zone; starts: LocalTime; end: string | null };
type Event = Times & { lines: string[] };

/** Entries as iCalendar (RFC 5545, 7986), including the rules of their time zones. */
export function calendarOf(entries: readonly ScheduleEntryDoc[], { name, url }: Channel): string {
  const events = entries.flatMap((entry) => eventsOf(entry, url));
  const earliest = Math.min(...events.map(({ starts }) => starts));
  const zones = new Map(events.map(({ zone }) => [zone.name, zone]));
  zones.delete(UTC.name);
  return joined([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//livecore//schedule//EN",
    `NAME:${asText(name)}`,
    `X-WR-CALNAME:${asText(name)}`,
    ...[...zones.values()].flatMap((zone) => vtimezoneLines(zone, earliest)),
    ...events.flatMap(({ lines }) => lines),
    "END:VCALENDAR",
  ]);
}

/** A weekly entry is one event with its rule, and one more for each week that was moved or needs a time in UTC; none while no week takes place. */
function eventsOf(entry: ScheduleEntryDoc, url: string): Event[] {
  const lasts = entry.endsAt && +entry.endsAt - +entry.startsAt;
  const event = (times: Times, more: readonly string[] = []): Event => ({
    ...times,
    lines: [
      "BEGIN:VEVENT",
      `UID:${entry._id}`,
      `DTSTAMP:${asUtc(entry.changedAt)}`,
      `DTSTART${value(times.starts, times.zone)}`,
      ...(times.end === null ? [] : [times.end]),
      ...more,
      `SUMMARY:${asText(entry.title)}`,
      `URL:${url}`,
      `CREATED:${asUtc(entry.createdAt)}`,
      `LAST-MODIFIED:${asUtc(entry.changedAt)}`,
      "END:VEVENT",
    ],
  });
  if (!entry.isRecurring) return [event(singleTimes(+entry.startsAt, lasts, zoneOf(entry.timeZone)))];

  const weeks = weeksOf(entry);
  if (!takesPlace(weeks)) return [];
  const single = (week: number, at: number) =>
    event(singleTimes(at, lasts, weeks.zone), [`RECURRENCE-ID${ruledStart(week, weeks)}`]);
  const moved = [...weeks.exceptions].flatMap(([week, movedTo]) => (movedTo ? [single(week, +movedTo)] : []));
  return [
    event(weeklyTimes(weeks, lasts), ruleOf(weeks)),
    ...firstOf(weeks).map((at) => single(0, at)),
    ...moved,
  ];
}

/** Whether any week does: a rule without an instance isn't valid. */
function takesPlace({ last, isOn, exceptions }: Weeks): boolean {
  if (!Number.isFinite(last)) return true;
  for (let week = 0; week <= last; week++) if (isOn(week) && exceptions.get(week) !== null) return true;
  return false;
}

/** When the first week starts, if it takes place as ruled and the rule can't say whether it is the first or second time that the clock shows. */
const firstOf = ({ isOn, exceptions, shownAt, startOf, zone }: Weeks): number[] =>
  isOn(0) && !exceptions.has(0) && isShownTwice(shownAt(0), zone) ? [startOf(0)] : [];

/** In UTC where the zone's clock shows one of the times twice: iCalendar can't name the second, and not all programs take the first. */
function singleTimes(at: number, lasts: number | null, zone: Zone): Times {
  const [starts, ends] = [localTimeOf(at, zone), lasts === null ? null : localTimeOf(at + lasts, zone)];
  const isClear = !isShownTwice(starts, zone) && (ends === null || !isShownTwice(ends, zone));
  const end = (until: LocalTime | null, of: Zone) => (until === null ? null : `DTEND${value(until, of)}`);
  return isClear
    ? { zone, starts, end: end(ends, zone) }
    : { zone: UTC, starts: at, end: end(lasts === null ? null : at + lasts, UTC) };
}

/**
 * Those of the first week, by its duration: each week lasts as long, and its end may be in an hour that the clock shows twice, where programs
 * take either.
 */
function weeklyTimes({ zone, startOf }: Weeks, lasts: number | null): Times {
  const begins = startOf(0);
  const end = lasts === null ? null : `DURATION:${asDuration(begins, begins + lasts)}`;
  return { zone, starts: localTimeOf(begins, zone), end };
}

function ruleOf(weeks: Weeks): string[] {
  const until = Number.isFinite(weeks.last) ? `;UNTIL=${asUtc(weeks.startOf(weeks.last))}` : "";
  const skipped = [...weeks.exceptions].flatMap(([week, movedTo]) => (movedTo ? [] : [week]));
  return [
    `RRULE:FREQ=WEEKLY${until}`,
    ...[...weeks.paused, ...skipped].map((week) => `EXDATE${ruledStart(week, weeks)}`),
  ];
}

/** As the rule has it, also where the clock skips that time. */
const ruledStart = (week: number, { zone, shownAt }: Weeks): string => value(shownAt(week), zone);

const value = (shown: LocalTime, zone: Zone): string =>
  zone === UTC ? `:${asUtc(shown)}` : `;TZID=${zone.name}:${asLocal(shown)}`;
