import { isObject } from "../json.ts";

const DAY_MS = 86_400_000;
/** Minimum days from the announcement to the end. */
const NOTICE_DAYS = 180;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When a removal was announced, and when it happens, Unix ms. */
export type Sunset = { since: number; until: number };

/**
 * The sunset of an operation, parameter or field that is marked `deprecated` (`x-deprecated-since`, `x-sunset`: days); null
 * without a mark. Throws when one of the three is missing, or when the end comes too soon.
 */
export function sunsetOf(marked: unknown, where: string): Sunset | null {
  if (!isObject(marked)) return null;
  const { deprecated = false, "x-deprecated-since": since, "x-sunset": until } = marked;
  if (deprecated === false && since === undefined && until === undefined) return null;
  if (deprecated !== true) throw new Error(`${where} has a sunset and isn't deprecated`);
  const [from, to] = [dayOf(since), dayOf(until)];
  if (from === null || to === null)
    throw new Error(`${where} is deprecated, and needs x-deprecated-since and x-sunset as 2026-01-31`);
  if (to - from < NOTICE_DAYS * DAY_MS)
    throw new Error(`${where} would go before ${NOTICE_DAYS} days have passed since it was announced`);
  return { since: from, until: to };
}

function dayOf(value: unknown): number | null {
  const day = typeof value === "string" && DAY.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(day) ? null : day;
}

/** Whether its sunset was announced and has passed, so that it may be gone. */
export function hasEnded(marked: unknown, now: number): boolean {
  const sunset = sunsetOf(marked, "what was released");
  return sunset !== null && sunset.until <= now;
}

/** The earliest of several sunsets, with the earliest announcement; null without any. */
export function firstSunset(sunsets: readonly Sunset[]): Sunset | null {
  if (sunsets.length === 0) return null;
  const since = Math.min(...sunsets.map((one) => one.since));
  return { since, until: Math.min(...sunsets.map((one) => one.until)) };
}
