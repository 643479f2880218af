import { DAY_MS } from "../../../base/durations.ts";
import type { ScheduleEntryDoc } from "../../../store/mongo/channels/schedule.ts";
import { occurrencesOf } from "./occurrences.ts";

/** The longest time of which a schedule is shown at once. */
export const MAX_SHOWN_DAYS = 92;

/** What entries announce from then on, as far as a schedule is shown: each title once, in alphabetical order. */
export function plannedTitles(entries: readonly ScheduleEntryDoc[], from: Date): string[] {
  const planned = occurrencesOf(entries, { from, to: new Date(+from + MAX_SHOWN_DAYS * DAY_MS) });
  return [...new Set(planned.map(({ entry }) => entry.title))].sort();
}
