import ical, { ICalEventRepeatingFreq } from "ical-generator";
import { tzlib_get_ical_block } from "timezones-ical-library";
import type { ScheduleEntryDoc } from "../../store/mongo/schedule.ts";
import { zoned } from "./zone-clock.ts";

/** Entries as iCalendar (RFC 5545), including the rules of their time zones. */
export function calendarOf(entries: readonly ScheduleEntryDoc[], channelUrl: string): string {
  // No name: the library doesn't escape it, and users' texts must not become lines of the file.
  const calendar = ical({
    prodId: { company: "livecore", product: "schedule" },
    timezone: { name: null, generator: rulesOf },
  });
  for (const entry of entries) {
    const { _id: id, title: summary, startsAt, endsAt, changedAt: stamp } = entry;
    // The canonical name, as in the rules: entries accept names in any casing.
    const { timeZoneId: timeZone } = zoned(startsAt, entry.timeZone);
    calendar.createEvent({
      id,
      summary,
      stamp,
      url: channelUrl,
      created: entry.createdAt,
      lastModified: stamp,
      ...(timeZone === "UTC" ? {} : { timezone: timeZone }),
      start: zoned(startsAt, timeZone),
      end: endsAt && zoned(endsAt, timeZone),
      repeating: entry.isRecurring ? { freq: ICalEventRepeatingFreq.WEEKLY } : null,
    });
  }
  return calendar.toString();
}

function rulesOf(timeZone: string): string | null {
  const rules = tzlib_get_ical_block(timeZone);
  return typeof rules === "string" ? null : (rules[0] ?? null);
}
