import { expect } from "chai";
import { Temporal } from "temporal-polyfill";
import { occurrencesOf } from "../../../../actors/channels/schedule/occurrences.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import type { ScheduleEntryDoc } from "../../../../store/mongo/channels/schedule.ts";

/** Whose clocks change by an hour, half an hour and two hours, in Ramadan, at midnight, and not at all. */
const ZONES = [
  ...["Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca"],
  ...["America/Santiago", "Asia/Beirut", "Asia/Kathmandu", "UTC"],
];

function weekly(timeZone: string, startsAt: string, more: Partial<ScheduleEntryDoc> = {}): ScheduleEntryDoc {
  const [begins, ends] = [new Date(startsAt), new Date(Date.parse(startsAt) + 2 * 3_600_000)];
  return {
    _id: newId(),
    userId: "user",
    place: 0,
    title: "Weekly",
    categoryId: null,
    isRecurring: true,
    startsAt: begins,
    endsAt: ends,
    timeZone,
    createdAt: begins,
    changedAt: begins,
    ...more,
  };
}

/** Week by week, as the standard's own arithmetic has it. Its zones are Node's: only of past years these are the same. */
function* weeksOf({ startsAt, timeZone }: ScheduleEntryDoc, from: Date, to: Date): Generator<string> {
  const begins = Temporal.Instant.fromEpochMilliseconds(+startsAt).toZonedDateTimeISO(timeZone);
  for (let weeks = 0; ; weeks++) {
    const at = new Date(begins.toPlainDateTime().add({ weeks }).toZonedDateTime(timeZone).epochMilliseconds);
    if (at >= to) return;
    if (+at >= +from) yield at.toISOString();
  }
}

describe("times of a weekly entry", () => {
  it("are those of its clock in whatever zone, also those that the clock leaves out or shows twice", () => {
    const from = new Date("2024-01-08T00:00:00Z");
    for (const timeZone of ZONES) {
      for (let half = 0; half < 48; half++) {
        const startsAt = new Date(Date.parse("2024-01-07T00:00:00Z") + half * 1_800_000).toISOString();
        const entry = weekly(timeZone, startsAt, { endsAt: null });
        for (let n = 0; n < 4; n++) {
          const range = {
            from: new Date(+from + n * 92 * DAY_MS),
            to: new Date(+from + (n + 1) * 92 * DAY_MS),
          };
          const found = occurrencesOf([entry], range).map((one) => one.startsAt.toISOString());
          expect(found, `${timeZone} ${startsAt}`).deep.equal([...weeksOf(entry, range.from, range.to)]);
        }
      }
    }
  });

  it("cost a hundred entries of three months little", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    const entries = Array.from({ length: 100 }, (_, n) =>
      weekly(zones[n * 4] ?? "UTC", "2026-03-22T19:00:00Z"),
    );
    const range = { from: new Date("2026-06-01T00:00:00Z"), to: new Date("2026-09-01T00:00:00Z") };
    const costs = Array.from({ length: 10 }, () => {
      const before = process.cpuUsage();
      expect(occurrencesOf(entries, range)).length.above(1_000);
      return process.cpuUsage(before).user / 1_000;
    });

    expect(Math.min(...costs), "ms").below(25);
  });
});
