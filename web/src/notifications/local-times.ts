import { DATE_LOCALE } from "../formats/locale.ts";

const MINUTE_MS = 60_000;
/** A day on which hardly any zone changes its clocks. */
const DAY = "2026-01-15";

/** What a zone's clock shows at an instant: "22:30". */
export const timeAt = (iso: string, zone: string): string =>
  new Date(iso).toLocaleTimeString(DATE_LOCALE, { timeZone: zone, hour: "2-digit", minute: "2-digit" });

/** An instant at which a zone's clock shows a time, "22:30". */
export function instantAt(time: string, zone: string): string {
  const guess = Date.parse(`${DAY}T${time}:00Z`);
  const shown = new Date(guess).toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T");
  const offset = Math.round((Date.parse(`${shown}Z`) - guess) / MINUTE_MS) * MINUTE_MS;
  return new Date(guess - offset).toISOString();
}

/** All that the browser knows, and those that are in use here. */
export const zonesWith = (...used: string[]): string[] =>
  [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...used])].toSorted((a, b) =>
    a.localeCompare(b),
  );
