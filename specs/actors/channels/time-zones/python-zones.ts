import { readFileSync } from "node:fs";

/** From `at` on (Unix ms) a clock is `ahead` ms ahead of UTC. */
type Since = { at: number; ahead: number };

/**
 * Every zone's clock from 2024 to 2050 by Python, which has a copy of the database of its own (python_zones.py). `different` names
 * one of those that are alike.
 */
export function readPythonZones() {
  const [release, ...lines] = readFileSync(new URL("python_zones.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const zones = new Map<string, PythonZone>();
  const different: string[] = [];
  for (const line of lines) {
    const [names = "", ...changes] = line.split(" ");
    const since = changes.map((change): Since => {
      const [at, ahead] = change.split(":");
      return { at: Number(at) * 1_000, ahead: Number(ahead) * 1_000 };
    });
    // "Factory" is the database's placeholder for a machine without a zone.
    const alike = names.split(",").filter((name) => name !== "Factory");
    for (const name of alike) zones.set(name, pythonZone(since));
    different.push(...alike.slice(0, 1));
  }
  return { release, zones, different };
}

type PythonZone = ReturnType<typeof pythonZone>;

function pythonZone(all: readonly Since[]) {
  const aheads = [...new Set(all.map(({ ahead }) => ahead))];
  const aheadAt = (at: number) => all.findLast((since) => since.at <= at)?.ahead ?? Number.NaN;
  return {
    aheadAt,
    /** Without the beginning of the data. */
    changes: all.slice(1).map(({ at }) => at),
    /** All instants at which the clock shows a time: none, one or two. */
    instantsOf: (shown: number): number[] =>
      aheads.map((ahead) => shown - ahead).filter((at) => at + aheadAt(at) === shown),
  };
}
