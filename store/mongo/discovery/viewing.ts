/** Aggregates viewer figures over minutes, hours and days. */

import { Binary } from "mongodb";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { openSketch } from "../../../base/viewer-sketch.ts";
import type { DayViewing } from "./channel-days.ts";
import type { ViewershipHourDoc } from "./viewership-hours.ts";

export type Viewing = { peakViewers: number; watchedMinutes: number; uniqueViewers: number };

/** Each sample counts as one watched minute per viewer. */
function minutesOf({ hour, minutes }: ViewershipHourDoc, from: Date): number[] {
  return Object.entries(minutes).flatMap(([minute, count]) =>
    hour.getTime() + Number(minute) * MINUTE_MS >= from.getTime() ? [count] : [],
  );
}
/** The figures of a day, from all of its hours. */
export function viewingOfDay(hours: readonly ViewershipHourDoc[]): DayViewing {
  const viewers = openSketch(null);
  for (const hour of hours) viewers.unite(hour.viewers.value());
  const counts = hours.flatMap((hour) => minutesOf(hour, hour.hour));
  return {
    peakViewers: Math.max(0, ...counts),
    watchedMinutes: counts.reduce((sum, count) => sum + count, 0),
    viewers: hours.length === 0 ? null : new Binary(viewers.bytes()),
  };
}

/** Aggregates days and hours; of the hour that contains `from` only later minutes count, but all of its viewers. */
export function viewingOf(
  from: Date,
  days: readonly DayViewing[],
  hours: readonly ViewershipHourDoc[],
): Viewing {
  const inTime = hours.filter(({ hour }) => hour.getTime() + HOUR_MS > from.getTime());
  const counts = inTime.flatMap((hour) => minutesOf(hour, from));
  const viewers = openSketch(null);
  for (const { viewers: seen } of [...days, ...inTime]) if (seen) viewers.unite(seen.value());
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return {
    peakViewers: Math.max(0, ...counts, ...days.map(({ peakViewers }) => peakViewers)),
    watchedMinutes: sum(counts) + sum(days.map(({ watchedMinutes }) => watchedMinutes)),
    uniqueViewers: viewers.count(),
  };
}
