import { invalid } from "../../../contract/errors.ts";
import { formatInWords } from "../../../contract/refused-rule.ts";
import type { Day } from "./weeks.ts";

/** Keeps years at four digits in every time zone. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2999;

/** Throws `validation_failed`, also for a leap second, which the schema's format accepts. */
export function timeOf(text: string, path: string): Date {
  const at = new Date(text);
  if (Number.isNaN(+at)) throw refused(path, "format", formatInWords("date-time"));
  requireYear(at, path);
  return at;
}

/** A day that the schema has checked. Throws `validation_failed`. */
export function dayFrom(text: string, path: string): Day {
  requireYear(new Date(text), path);
  return text;
}

function requireYear(at: Date, path: string): void {
  const year = at.getUTCFullYear();
  if (year < FIRST_YEAR || year > LAST_YEAR)
    throw refused(path, "range", `must be from ${FIRST_YEAR} to ${LAST_YEAR}`);
}

export const refused = (path: string, rule: string, message: string) => invalid({ path, rule, message });
