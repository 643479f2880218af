import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import type { CreatorAnalytics } from "../../../contract/wire.ts";
import { dayOf, hourOf, type TimeRange } from "../../../store/mongo/channels/rollup-times.ts";

export type Period = CreatorAnalytics["period"];

const DAYS: Readonly<Record<Period, number>> = { "7d": 7, "30d": 30, "90d": 90 };

export const beginOf = (period: Period, now: Date): Date => new Date(now.getTime() - DAYS[period] * DAY_MS);

export type Parts = {
  /** Days between `after` and `before`, except `open` ones, are read from the daily rollups. */
  after: Date;
  before: Date;
  /** Days that are read by the hour: the first, the last, and those with an hour that isn't in the rollups. */
  open: Date[];
  /** Whether an hour of an open day is read from the rollups. */
  isRolled(hour: Date): boolean;
  /** Ranges to scan: the rest of the period's first hour, hours that aren't in the rollups, and all from the last one on. */
  scanned: TimeRange[];
};

/**
 * Splits a period into rollups and scans, without gaps or overlaps; without `until` it goes on. `marked`: hours that aren't in the
 * rollups.
 */
export function partsOf({ from, until }: TimeRange, now: Date, marked: readonly Date[]): Parts {
  const last = until ?? now;
  const [first, present] = [hourOf(from).getTime(), hourOf(last).getTime()];
  const between = marked.map((hour) => hour.getTime()).filter((hour) => hour > first && hour < present);
  const unrolled = new Set([first, ...between]);
  const [after, before] = [dayOf(from), dayOf(last)];
  const open = new Set([after, before, ...between.map((hour) => dayOf(new Date(hour)))].map(Number));
  return {
    after,
    before,
    open: [...open].map((day) => new Date(day)),
    isRolled: (hour) => hour.getTime() > first && hour.getTime() < present && !unrolled.has(hour.getTime()),
    scanned: rangesOf(
      { from, until },
      [...unrolled].sort((a, b) => a - b),
      present,
    ),
  };
}

/** Merges adjacent hours. The last range is open-ended if the period is, since another machine's clock may be ahead. */
function rangesOf(
  { from, until }: { from: Date; until: Date | undefined },
  hours: readonly number[],
  present: number,
): TimeRange[] {
  const ranges: { from: number; until: number }[] = [];
  for (const hour of hours) {
    const last = ranges.at(-1);
    if (last?.until === hour) last.until = hour + HOUR_MS;
    else ranges.push({ from: hour, until: hour + HOUR_MS });
  }
  const last = ranges.at(-1);
  const closed = last && last.until >= present ? ranges.slice(0, -1) : ranges;
  const openFrom = closed.length < ranges.length && last ? last.from : present;
  const begins = (at: number) => new Date(Math.max(at, from.getTime()));
  return [
    ...closed.map((range) => ({ from: begins(range.from), until: new Date(range.until) })),
    { from: begins(openFrom), ...(until ? { until } : {}) },
  ];
}
