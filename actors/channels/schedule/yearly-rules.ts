import { DAY_MS } from "../../../base/durations.ts";
import type { ClockChange, Zone } from "../time-zones/zones.ts";

/** A zone whose known changes go on until then changes every year; the data end with the year 2499. */
const FOREVER = Date.UTC(2490, 0);
/** After so many years weekdays come at the same dates again, so that they show all days on which a rule's change can be. */
const CYCLE_YEARS = 28;
const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

/** When a change comes each year, in one month of those in which it can be. */
type YearlyRule = {
  /** A recurrence rule of iCalendar. */
  text: string;
  /** Whether a change is by the rule. */
  has(change: ClockChange): boolean;
};

type Kind = { like: ClockChange; firstDay: number };

type YearlyRules = { rules: readonly YearlyRule[]; first: number };

/** Going through five hundred years takes a millisecond. */
const known = new WeakMap<Zone, YearlyRules>();

/**
 * The rules by which a zone's clock changes every year, and the index of the change from which on all are by them. There are none
 * for a clock that keeps its time in the end.
 */
export function yearlyRulesOf(zone: Zone): YearlyRules {
  const rules = known.get(zone) ?? rulesIn(zone.changes);
  known.set(zone, rules);
  return rules;
}

function rulesIn(changes: readonly ClockChange[]): YearlyRules {
  const none = { rules: [], first: changes.length };
  const cycle = changes.slice(-2 * CYCLE_YEARS);
  const kinds = changes.slice(-2).map((last) => kindLike(last, cycle));
  if ((changes.at(-1)?.at ?? 0) < FOREVER || kinds.length < 2) return none;
  const regular = kinds.filter((kind) => kind !== null);
  if (regular.length < kinds.length) return none;
  let first = changes.length;
  while (first > 0 && goesOn(changes, first - 1, regular)) first--;
  return { rules: regular.flatMap(rulesOf), first };
}

/** The seven days on one of which changes like this one are; null if they aren't by a weekday. */
function kindLike(like: ClockChange, cycle: readonly ClockChange[]): Kind | null {
  const days = cycle.filter((change) => isAlike(change, like)).map((change) => changeDateOf(change).day);
  const firstDay = Math.min(...days);
  // Before March, dates depend on leap years.
  const isWeekly = days.length === CYCLE_YEARS && firstDay >= 0 && Math.max(...days) === firstDay + 6;
  return isWeekly ? { like, firstDay } : null;
}

function isAlike(one: ClockChange, other: ClockChange): boolean {
  const [a, b] = [changeDateOf(one), changeDateOf(other)];
  return (
    one.before === other.before &&
    one.ahead === other.ahead &&
    one.name === other.name &&
    a.weekday === b.weekday &&
    a.time === b.time
  );
}

const isOf = ({ like, firstDay }: Kind, change: ClockChange): boolean => {
  const { day } = changeDateOf(change);
  return isAlike(change, like) && day >= firstDay && day <= firstDay + 6;
};

/** Whether a change is by a rule, and is followed by that of the next year. */
function goesOn(changes: readonly ClockChange[], index: number, kinds: readonly Kind[]): boolean {
  const [change, next] = [changes[index], changes[index + 2]];
  if (!change || !kinds.some((kind) => isOf(kind, change))) return false;
  return !next || changeDateOf(next).year === changeDateOf(change).year + 1;
}

/** One, or two if the seven days are in two months. */
function rulesOf(kind: Kind): YearlyRule[] {
  const dates = Array.from({ length: 7 }, (_, i) => new Date(Date.UTC(2001, 2, 1 + kind.firstDay + i)));
  const months = [...new Set(dates.map((date) => date.getUTCMonth()))];
  return months.map((month) => {
    const days = dates.filter((date) => date.getUTCMonth() === month).map((date) => date.getUTCDate());
    return {
      text: `FREQ=YEARLY;BYMONTH=${month + 1};${byDay(month, days, changeDateOf(kind.like).weekday)}`,
      has: (change) => isOf(kind, change) && changeDateOf(change).month === month,
    };
  });
}

/** As "the second" or "the last" weekday of a month, which more calendars read, where it is one. */
function byDay(month: number, days: readonly number[], weekday: number): string {
  const name = WEEKDAYS[weekday];
  const begins = days[0] ?? 1;
  if (days.length === 7 && begins % 7 === 1) return `BYDAY=${(begins + 6) / 7}${name}`;
  const length = new Date(Date.UTC(2001, month + 1, 0)).getUTCDate();
  if (days.length === 7 && days.at(-1) === length) return `BYDAY=-1${name}`;
  return `BYMONTHDAY=${days.join()};BYDAY=${name}`;
}

/** What the clock showed when it was changed: `day` counts from 1 March. */
function changeDateOf({ at, before }: ClockChange) {
  const shown = new Date(at + before);
  const [year, month] = [shown.getUTCFullYear(), shown.getUTCMonth()];
  const midnight = Date.UTC(year, month, shown.getUTCDate());
  return {
    year,
    month,
    day: (midnight - Date.UTC(year, 2, 1)) / DAY_MS,
    weekday: shown.getUTCDay(),
    time: +shown - midnight,
  };
}
