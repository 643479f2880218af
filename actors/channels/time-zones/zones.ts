import moment from "moment-timezone";

/** From `at` on (Unix ms) the clock is `ahead` ms ahead of UTC; until then it was `before`. */
export type ClockChange = { at: number; before: number; ahead: number; name: string };

/**
 * A time zone. Its rules come from one package and never from Node, so that workers agree and an old Node knows new laws
 * ([decision 120](../../../docs/decisions/0120-take-time-zones-from-one-package.md)).
 */
export type Zone = {
  /** As the IANA database writes it; older names that it keeps stay themselves. */
  name: string;
  /** Until the first change. */
  first: { ahead: number; name: string };
  /** Until the year 2499, the earliest first. */
  changes: readonly ClockChange[];
};

export const UTC: Zone = { name: "UTC", first: { ahead: 0, name: "UTC" }, changes: [] };

/** The release of the IANA database, such as "2026f". */
export const ZONE_RELEASE: string = moment.tz.dataVersion;

/** By lower-case name. Bounded: only names of the database get here. */
const zones = new Map<string, Zone>([["utc", UTC]]);

/** By its name in any casing; null unless the IANA database has it. */
export function findZone(name: string): Zone | null {
  const key = name.toLowerCase();
  const zone = zones.get(key) ?? readZone(key);
  if (zone) zones.set(key, zone);
  return zone;
}

/** A stored name's zone. UTC for a name that only another release of the database has. */
export const zoneOf = (name: string): Zone => findZone(name) ?? findZone(nodesNameOf(name)) ?? UTC;

/**
 * Earlier releases of the service accepted what Node did: also names that aren't the database's, such as "PST" (for Los Angeles)
 * and "BST" (for Dhaka).
 */
function nodesNameOf(name: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (err) {
    if (err instanceof RangeError) return "UTC";
    throw err;
  }
}

function readZone(key: string): Zone | null {
  const read = moment.tz.zone(key);
  // The package also takes "europe_london".
  if (read?.name.toLowerCase() !== key) return null;
  const { name, abbrs, untils } = read;
  // Minutes behind UTC there.
  const aheads = read.offsets.map((offset) => Math.round(-offset * 60_000));
  const changes = untils.flatMap((at, i): ClockChange[] => {
    const [before, ahead] = [aheads[i], aheads[i + 1]];
    // Not where only the name changes.
    if (before === undefined || ahead === undefined || before === ahead) return [];
    return [{ at, before, ahead, name: abbrs[i + 1] ?? "" }];
  });
  return { name, first: { ahead: aheads[0] ?? 0, name: abbrs[0] ?? "" }, changes };
}
