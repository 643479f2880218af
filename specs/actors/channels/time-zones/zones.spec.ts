import { expect } from "chai";
import ICAL from "ical.js";
import { vtimezoneLines } from "../../../../actors/channels/schedule/vtimezone.ts";
import { instantOf, localTimeOf } from "../../../../actors/channels/time-zones/local-time.ts";
import { findZone, ZONE_RELEASE, zoneOf } from "../../../../actors/channels/time-zones/zones.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/durations.ts";
import { readPythonZones } from "./python-zones.ts";

const { release, zones } = readPythonZones();

/** Around each change between two times, and once a month. */
function samples(changes: readonly number[], from: number, to: number): number[] {
  const around = changes.flatMap((at) => [-HOUR_MS, -1_000, 0, HOUR_MS].map((ms) => at + ms));
  const months = Array.from(
    { length: Math.floor((to - from) / (30 * DAY_MS)) },
    (_, i) => from + i * 30 * DAY_MS,
  );
  return [...around, ...months].filter((at) => at >= from && at < to);
}

describe("time zones", () => {
  it("the database's release and names are those of Python's copy", () => {
    expect(ZONE_RELEASE).equal(release);
    expect(zones.size).above(590);
    for (const name of zones.keys()) expect(findZone(name)?.name, name).equal(name);
  });

  it("every zone's clock agrees with Python's around each change until 2050", () => {
    const wrong: string[] = [];
    for (const [name, python] of zones) {
      const zone = zoneOf(name);
      for (const at of samples(python.changes, Date.UTC(2024, 0), Date.UTC(2050, 0))) {
        const shown = at + python.aheadAt(at);
        const isRight = localTimeOf(at, zone) === shown;
        if (!isRight || instantOf(shown, zone) !== Math.min(...python.instantsOf(shown)))
          wrong.push(`${name} ${new Date(at).toISOString()}`);
      }
    }
    expect(wrong).deep.equal([]);
  });

  it("every zone's VTIMEZONE agrees with Python's clock around each change for three years", () => {
    const [from, to] = [Date.UTC(2026, 0), Date.UTC(2029, 0)];
    const wrong: string[] = [];
    for (const [name, python] of zones) {
      const text = vtimezoneLines(zoneOf(name), from).join("\r\n");
      const read = new ICAL.Timezone(new ICAL.Component(ICAL.parse(text)));
      expect(read.tzid).equal(name);
      for (const at of samples(python.changes, from, to)) {
        const shown = at + python.aheadAt(at);
        // Of a time that comes twice, this reader takes the second.
        if (python.instantsOf(shown).length > 1) continue;
        const time = ICAL.Time.fromJSDate(new Date(shown), true);
        time.zone = read;
        if (time.toUnixTime() * 1_000 !== at) wrong.push(`${name} ${new Date(at).toISOString()}`);
      }
    }
    expect(wrong).deep.equal([]);
  });

  it("a VTIMEZONE has rules instead of dates where the clock changes every year", () => {
    for (const name of zones.keys()) {
      const text = vtimezoneLines(zoneOf(name), Date.UTC(2026, 10, 27)).join("\r\n");
      expect(text.length, name).below(name === "Asia/Gaza" || name === "Asia/Hebron" ? 5_000 : 600);
    }
  });

  it("only names of the database are found, in any casing", () => {
    expect(findZone("europe/LONDON")?.name).equal("Europe/London");
    for (const name of ["Mars/Olympus", "+02:00", "UTC+2", "BST", "Europe_London", "", "__proto__"])
      expect(findZone(name), name).equal(null);
  });

  it("a stored name that the database lacks is resolved as Node has it, and else as UTC", () => {
    expect(zoneOf("PST").name).equal("America/Los_Angeles");
    expect(zoneOf("Mars/Olympus").name).equal("UTC");
  });
});
