import { DAY_MS } from "../../../base/durations.ts";
import { changeIndexAt } from "../time-zones/local-time.ts";
import type { ClockChange, Zone } from "../time-zones/zones.ts";
import { asLocal } from "./content-lines.ts";
import { yearlyRulesOf } from "./yearly-rules.ts";

/** A change, and by which lines it comes again. */
type Onset = { change: ClockChange; kind: "STANDARD" | "DAYLIGHT"; repeats: string[] };

/** A zone's rules as iCalendar (RFC 5545, 3.6.5), for all times from `earliest` (Unix ms) on. */
export function vtimezoneLines(zone: Zone, earliest: number): string[] {
  const { changes } = zone;
  const { rules, first } = yearlyRulesOf(zone);
  const inForce = changeIndexAt(earliest - DAY_MS, zone);
  const single = changes.slice(Math.max(inForce, 0), Math.max(inForce, first));
  const regular = changes.slice(Math.max(inForce, first, 0));
  const repeated = rules.flatMap((rule): Onset[] => {
    // None comes any more in that month in the years of the data.
    const change = regular.find((one) => rule.has(one));
    return change ? [{ change, kind: kindOf(change), repeats: [`RRULE:${rule.text}`] }] : [];
  });
  const begun = inForce < 0 ? [beginning(zone, earliest)] : [];
  const lines = [...listed([...begun, ...single], zone), ...repeated].flatMap(linesOf);
  return ["BEGIN:VTIMEZONE", `TZID:${zone.name}`, ...lines, "END:VTIMEZONE"];
}

/** For a clock that never changed until then: what it shows, as a change. */
const beginning = ({ first }: Zone, earliest: number): ClockChange => ({
  at: Math.min(0, earliest - DAY_MS),
  before: first.ahead,
  ...first,
});

/** Changes without a rule, alike ones together. */
function listed(changes: readonly ClockChange[], zone: Zone): Onset[] {
  const alike = new Map<string, ClockChange[]>();
  for (const change of changes) {
    const key = [change.before, change.ahead, change.name].join();
    alike.set(key, [...(alike.get(key) ?? []), change]);
  }
  return [...alike.values()].flatMap(([change, ...more]): Onset[] => {
    if (!change) return [];
    // Each on a line of its own, and the first as well: some calendars read no others.
    const dates = [change, ...more].map(({ at, before }) => `RDATE:${asLocal(at + before)}`);
    // One that stays isn't a summer time, even if it moved the clock forward.
    const kind = more.length === 0 && change === zone.changes.at(-1) ? "STANDARD" : kindOf(change);
    return [{ change, kind, repeats: more.length > 0 ? dates : [] }];
  });
}

const kindOf = ({ before, ahead }: ClockChange) => (ahead > before ? "DAYLIGHT" : "STANDARD");

const linesOf = ({ change, kind, repeats }: Onset): string[] => [
  `BEGIN:${kind}`,
  `DTSTART:${asLocal(change.at + change.before)}`,
  ...repeats,
  `TZOFFSETFROM:${offset(change.before)}`,
  `TZOFFSETTO:${offset(change.ahead)}`,
  `TZNAME:${change.name}`,
  `END:${kind}`,
];

/** "+0100", with seconds if there are any. */
function offset(ahead: number): string {
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  const figures = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((one) =>
    String(Math.floor(one)).padStart(2, "0"),
  );
  return (ahead < 0 ? "-" : "+") + figures.join("").replace(/00$/, (end) => (seconds % 60 === 0 ? "" : end));
}
