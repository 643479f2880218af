/** Units by their size in seconds, and how they are written. A month has 30 days. */
const UNITS: readonly (readonly [seconds: number, ...names: string[]])[] = [
  [1, "s", "sec", "secs", "second", "seconds"],
  [60, "m", "min", "mins", "minute", "minutes"],
  [3_600, "h", "hr", "hrs", "hour", "hours"],
  [86_400, "d", "day", "days"],
  [604_800, "w", "wk", "wks", "week", "weeks"],
  [2_592_000, "mo", "mos", "month", "months"],
];

/** Sizes of units by each of their names. */
export const UNIT_SECONDS: ReadonlyMap<string, number> = new Map(
  UNITS.flatMap(([seconds, ...names]) => names.map((name): [string, number] => [name, seconds])),
);

/** Parts of the grammar, also as Japanese and Chinese keyboards write them; each begins where the one before ended. */
const DIGITS = "[0-9\\uFF10-\\uFF19]";
const NUMBER = `${DIGITS}{1,12}(?:[.\\uFF0E]${DIGITS}{1,3})?`;
const PART = new RegExp(
  `(${NUMBER})\\s*([a-z\\uFF41-\\uFF5A]{1,8})[.,\\uFF0E\\uFF0C]?(?=\\s|${DIGITS}|$)`,
  "iuy",
);
const BARE = new RegExp(`(${NUMBER})(?=\\s|$)`, "uy");
const BETWEEN = /\s*(?:(?:and|\uFF41\uFF4E\uFF44)\s+)?/iuy;

/** A duration in seconds, and the text after it. Not ok: what begins with a digit and can't be read. */
type Reading = { ok: false } | { ok: true; seconds: number; rest: string };

/**
 * Reads a duration from the beginning of a text, as moderators type it: parts of a number and a unit, from large to small,
 * written together or apart (`90s`, `1h30m`, `10 minutes`, `1 hour, 30 minutes`, `1 day and 2 hours`), or one bare number of
 * `bareUnit` seconds. Null when the text doesn't begin with a digit. What stands apart and isn't a smaller part begins the
 * text after it.
 */
export function readDuration(text: string, bareUnit: number): Reading | null {
  if (!/^\p{Nd}/u.test(text)) return null;
  let [seconds, at] = [0, 0];
  for (let smallest = Number.POSITIVE_INFINITY; ; ) {
    const part = partAt(text, at === 0 ? 0 : endOf(BETWEEN, text, at));
    if (!part || part.unit >= smallest) break;
    seconds = exact(seconds + part.amount * part.unit);
    ({ end: at, unit: smallest } = part);
  }
  if (at === 0) {
    at = endOf(BARE, text, 0);
    if (at === 0) return { ok: false };
    seconds = exact(numberIn(text.slice(0, at)) * bareUnit);
  }
  const rest = text.slice(at);
  // `1h30x`, or the minutes of `1h 30`, which are no reason.
  if (/^\p{Nd}|^\s*\p{Nd}+\s*$/u.test(rest)) return { ok: false };
  return { ok: true, seconds, rest: rest.trimStart() };
}

function partAt(text: string, at: number): { amount: number; unit: number; end: number } | null {
  PART.lastIndex = at;
  const [part, amount = "", name = ""] = PART.exec(text) ?? [];
  const unit = UNIT_SECONDS.get(name.normalize("NFKC").toLowerCase());
  if (part === undefined || unit === undefined) return null;
  return { amount: numberIn(amount), unit, end: at + part.length };
}

/** Where a match at that place ends; the place itself without one. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

/** To milliseconds, which is as fine as numbers are written: 1.1 times 3,600 is a little more than 3,960. */
const exact = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

const numberIn = (written: string): number => Number(written.normalize("NFKC"));
