/** Aggregates viewer figures over minutes, hours and days. */

import { Binary } from "mongodb";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { openSketch } from "../../../base/viewer-sketch.ts";
import { dayOf, type TimeRange } from "../channels/rollup-times.ts";
import type { DayViewing } from "./channel-days.ts";
import type { ViewershipHourDoc } from "./viewership-hours.ts";

type DayCounts = Pick<DayViewing, "peakViewers" | "watchedMinutes">;
export type Viewing = { peakViewers: number; watchedMinutes: number; uniqueViewers: number };

/** Each sample counts as one watched minute per viewer. */
function minutesOf({ hour, minutes }: ViewershipHourDoc, { from, until }: TimeRange): number[] {
  return Object.entries(minutes).flatMap(([minute, count]) => {
    const at = hour.getTime() + Number(minute) * MINUTE_MS;
    return at >= from.getTime() && (until === undefined || at < until.getTime()) ? [count] : [];
  });
}

/** Peak and watched minutes of each day of a period, from the hours of days that aren't rolled up; by Unix ms of its beginning. */
export function viewingByDay(range: TimeRange, hours: readonly ViewershipHourDoc[]): Map<number, DayCounts> {
  const days = new Map<number, DayCounts>();
  for (const hour of hours) {
    const counts = minutesOf(hour, range);
    const day = dayOf(hour.hour).getTime();
    const before = days.get(day) ?? { peakViewers: 0, watchedMinutes: 0 };
    days.set(day, {
      peakViewers: Math.max(before.peakViewers, ...counts),
      watchedMinutes: counts.reduce((sum, count) => sum + count, before.watchedMinutes),
    });
  }
  return days;
}

/** The figures of a day, from all of its hours. */
export function viewingOfDay(hours: readonly ViewershipHourDoc[]): DayViewing {
  const viewers = openSketch(null);
  for (const hour of hours) viewers.unite(hour.viewers.value());
  const counts = hours.flatMap((hour) => minutesOf(hour, { from: hour.hour }));
  return {
    peakViewers: Math.max(0, ...counts),
    watchedMinutes: counts.reduce((sum, count) => sum + count, 0),
    viewers: hours.length === 0 ? null : new Binary(viewers.bytes()),
  };
}

/** Aggregates days and hours; of the hours that contain the ends only minutes between count, but all of their viewers. */
export function viewingOf(
  range: TimeRange,
  days: readonly DayViewing[],
  hours: readonly ViewershipHourDoc[],
): Viewing {
  const { from, until } = range;
  const inTime = hours.filter(
    ({ hour }) =>
      hour.getTime() + HOUR_MS > from.getTime() && (until === undefined || hour.getTime() < until.getTime()),
  );
  const counts = inTime.flatMap((hour) => minutesOf(hour, range));
  const viewers = openSketch(null);
  for (const { viewers: seen } of [...days, ...inTime]) if (seen) viewers.unite(seen.value());
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return {
    peakViewers: Math.max(0, ...counts, ...days.map(({ peakViewers }) => peakViewers)),
    watchedMinutes: sum(counts) + sum(days.map(({ watchedMinutes }) => watchedMinutes)),
    uniqueViewers: viewers.count(),
  };
}
