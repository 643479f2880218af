import { expect } from "chai";
import { calendarOf } from "../../../../actors/channels/schedule/calendar.ts";
import { dayOf, WEEK_MS } from "../../../../actors/channels/schedule/weeks.ts";
import { localTimeOf } from "../../../../actors/channels/time-zones/local-time.ts";
import { findZone, type Zone, zoneOf } from "../../../../actors/channels/time-zones/zones.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { readOpenApi } from "../../../../contract/openapi-document.ts";
import { MAX_ENTRIES, type ScheduleEntryDoc } from "../../../../store/mongo/channels/schedule.ts";

/** As docs/decisions/0120 says. */
const MAX_BYTES = 3_500_000;

const { title, recurrence_exceptions: exceptions } = Object(
  readOpenApi().components.schemas.NewScheduleEntry?.properties,
);

/** Those with the most rules, each by its name. */
function largestZones(count: number): string[] {
  const changesOf = (zone: Zone | null) => zone?.changes.length ?? 0;
  return Intl.supportedValuesOf("timeZone")
    .filter((name) => findZone(name) !== null)
    .toSorted((one, other) => changesOf(findZone(other)) - changesOf(findZone(one)))
    .slice(0, count);
}

describe("the largest calendar of a channel", () => {
  it("has at most 3.5 MB, with every entry at its limits", () => {
    const entries = largestZones(MAX_ENTRIES).map((timeZone, place): ScheduleEntryDoc => {
      const startsAt = new Date(Date.UTC(1970, 0, 1, 12) + (place % 7) * DAY_MS);
      const later = (weeks: number) => new Date(+startsAt + weeks * WEEK_MS + DAY_MS);
      const first = localTimeOf(+startsAt, zoneOf(timeZone));
      const day = (weeks: number) => dayOf(first + weeks * WEEK_MS);
      return {
        _id: newId(),
        userId: newId(),
        place,
        title: "🎉".repeat(title.maxLength),
        categoryId: null,
        startsAt,
        endsAt: new Date(+startsAt + HOUR_MS),
        isRecurring: true,
        timeZone,
        lastDay: "2999-12-31",
        pause: { from: day(100), until: day(152) },
        exceptions: Array.from({ length: exceptions.maxItems }, (_, n) => ({
          day: day(n + 1),
          movedTo: later(n + 1),
        })),
        createdAt: startsAt,
        changedAt: startsAt,
      };
    });

    const text = calendarOf(entries, { name: "Ada", url: "https://livecore.example/ada" });

    expect(text.match(/BEGIN:VEVENT/g)).length(MAX_ENTRIES * (1 + exceptions.maxItems));
    expect(Buffer.byteLength(text)).within(0.9 * MAX_BYTES, MAX_BYTES);
  });
});
