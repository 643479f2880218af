import { LOCALE } from "./locale.ts";

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

const many = (count: number, unit: string): string =>
  count.toLocaleString(LOCALE, { style: "unit", unit, unitDisplay: "long" });

/** In the largest two units that it takes: "7 days", "1 hour 30 minutes". */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts: string[] = [];
  let rest = whole;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(many(count, unit));
    // The unit after the largest one is the last.
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || many(0, "second");
}

const MINUTE_S = 60;

/** How long ago something was, in its largest unit alone: "3 hours"; null for less than a minute. */
export function formatAge(ms: number): string | null {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < MINUTE_S) return null;
  const [, size] = UNITS.find(([, size]) => seconds >= size) ?? UNITS[3];
  return formatDuration(Math.floor(seconds / size) * size);
}
