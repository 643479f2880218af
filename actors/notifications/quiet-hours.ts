import { DAY_MS } from "../../base/durations.ts";
import type { NotificationPreferencesDoc } from "../../store/mongo/notifications/notification-preferences.ts";
import { instantOf, localTimeOf, timeOfDay, zoneOf } from "../channels/public.ts";

type Quiet = Pick<NotificationPreferencesDoc, "quietHoursStart" | "quietHoursEnd" | "timeZone">;

/**
 * When the quiet hours around `at` end; null outside of quiet hours. They begin and end when the time zone's clock first shows
 * the time. When clocks are set back, the repeated hour is quiet at most once more; a time skipped when clocks are set forward
 * counts as later by what was skipped.
 */
export function quietUntil({ quietHoursStart, quietHoursEnd, timeZone }: Quiet, at: Date): Date | null {
  if (!quietHoursStart || !quietHoursEnd) return null;
  const zone = zoneOf(timeZone);
  const start = timeOfDay(localTimeOf(+quietHoursStart, zone));
  const end = timeOfDay(localTimeOf(+quietHoursEnd, zone));
  const endsAfter = start > end ? DAY_MS : 0;
  const now = localTimeOf(+at, zone);
  const today = now - timeOfDay(now);
  for (const day of [today - DAY_MS, today]) {
    const until = instantOf(day + endsAfter + end, zone);
    if (instantOf(day + start, zone) <= +at && +at < until) return new Date(until);
  }
  return null;
}
