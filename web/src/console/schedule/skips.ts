import type { Schemas } from "../../site/page-data.ts";
import { serverNow } from "../../site/service-clock.ts";

type Entry = Schemas["ScheduleEntry"];
type Exceptions = Schemas["NewRecurrenceException"][];

/** As many as an entry may have. */
const MOST = 30;
const DAY_MS = 86_400_000;

/** The exceptions of the entry with the week of that day skipped. Past ones are dropped where there are too many. */
export function withSkip({ recurrence_exceptions: known }: Entry, date: string): Exceptions {
  const others = known.filter((one) => one.date !== date);
  const yesterday = new Date(serverNow() - DAY_MS).toISOString().slice(0, 10);
  const kept = others.length < MOST ? others : others.filter((one) => one.date >= yesterday);
  return [...kept, { date, moved_to: null }];
}

export const withoutSkip = ({ recurrence_exceptions: known }: Entry, date: string): Exceptions =>
  known.filter((one) => one.date !== date);
