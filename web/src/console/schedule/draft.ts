import type { Schemas } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

/** An entry as it stands in the form: moments as inputs have them, in the reader's own zone. */
export type Draft = { title: string; starts: string; ends: string; isWeekly: boolean; until: string };

const MINUTE_MS = 60_000;

export const draftOf = (entry: Schemas["ScheduleEntry"] | null): Draft => ({
  title: entry?.title ?? "",
  starts: entry ? localOf(entry.starts_at) : "",
  ends: entry?.ends_at ? localOf(entry.ends_at) : "",
  isWeekly: entry?.is_recurring ?? false,
  until: entry?.recurrence_until ?? "",
});

/** What is missing or can't be, by field. */
export function faultsOf({ title, starts, ends }: Draft): { title?: string; starts?: string; ends?: string } {
  const { form } = CONSOLE_TEXTS.schedule;
  return {
    ...(title.trim() === "" && { title: form.noTitle }),
    ...(starts === "" && { starts: form.needed }),
    ...(starts !== "" && ends !== "" && ends <= starts && { ends: form.endsFirst }),
  };
}

/** The draft has no faults. */
export const entryOf = ({ title, starts, ends, isWeekly, until }: Draft): Schemas["NewScheduleEntry"] => ({
  title,
  starts_at: new Date(starts).toISOString(),
  ends_at: ends === "" ? null : new Date(ends).toISOString(),
  is_recurring: isWeekly,
  ...(isWeekly && { recurrence_until: until === "" ? null : until }),
});

/** "2026-12-24T20:00" on the reader's clock. */
function localOf(iso: string): string {
  const at = new Date(iso);
  return new Date(+at - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
