import { Temporal } from "temporal-polyfill";
import type { NotificationPreferencesDoc } from "../../store/mongo/notification-preferences.ts";
import { zoned } from "../schedule/zone-clock.ts";

type Quiet = Pick<NotificationPreferencesDoc, "quietHoursStart" | "quietHoursEnd" | "timeZone">;

/**
 * When the quiet hours around `at` end; null outside of quiet hours. They begin and end when the time zone's clock first shows
 * the time. When clocks are set back, the repeated hour is quiet at most once more; a time skipped when clocks are set forward
 * counts as later by what was skipped.
 */
export function quietUntil({ quietHoursStart, quietHoursEnd, timeZone }: Quiet, at: Date): Date | null {
  if (!quietHoursStart || !quietHoursEnd) return null;
  const start = zoned(quietHoursStart, timeZone).toPlainTime();
  const end = zoned(quietHoursEnd, timeZone).toPlainTime();
  const isOverMidnight = Temporal.PlainTime.compare(start, end) > 0;
  const now = zoned(at, timeZone);
  const today = now.toPlainDate();
  const on = (day: Temporal.PlainDate, plainTime: Temporal.PlainTime) =>
    day.toZonedDateTime({ timeZone: now.timeZoneId, plainTime }).epochMilliseconds;
  for (const day of [today.subtract({ days: 1 }), today]) {
    const until = on(isOverMidnight ? day.add({ days: 1 }) : day, end);
    if (on(day, start) <= at.getTime() && at.getTime() < until) return new Date(until);
  }
  return null;
}
