import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Observation → the spec files that made it, sorted. */
type Recorded = Map<string, string[]>;

export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
export const RECORDED_FILE = fileURLToPath(new URL("./recorded.txt", import.meta.url));
/** More files wouldn't be read, and would change with every new spec. */
const MAX_FILES = 3;
const SEPARATOR = ": ";

/** The committed record. */
export function readRecorded(): Recorded {
  return existsSync(RECORDED_FILE) ? fromText(readFileSync(RECORDED_FILE, "utf8")) : new Map();
}

/** One line per observation, sorted, so that records of two branches merge by lines. */
export function textOf(recorded: Recorded): string {
  const lines = [...recorded].map(([observation, files]) => `${observation}${SEPARATOR}${files.join(" ")}\n`);
  return lines.sort().join("");
}

function fromText(text: string): Recorded {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(SEPARATOR);
      return [line.slice(0, at), line.slice(at + SEPARATOR.length).split(" ")];
    }),
  );
}

/** Merges what the processes of a run wrote into its folder. */
export function observedIn(folder: string): Recorded {
  const all: Recorded = new Map();
  for (const name of readdirSync(folder)) {
    for (const [observation, files] of fromText(readFileSync(join(folder, name), "utf8"))) {
      all.set(observation, [...new Set([...(all.get(observation) ?? []), ...files])].sort());
    }
  }
  return all;
}

/**
 * The record after a run; `ran` names its spec files, null for all. Recorded files that made the observation again stay, so that
 * little changes; they are filled up with the first others by name. Observations of files that didn't run stay.
 */
export function updated(before: Recorded, observed: Recorded, ran: readonly string[] | null): Recorded {
  const after: Recorded = new Map();
  for (const observation of new Set([...before.keys(), ...observed.keys()])) {
    const now = observed.get(observation) ?? [];
    const stands = (file: string) =>
      now.includes(file) || (ran !== null && !ran.includes(file) && exists(file));
    const kept = (before.get(observation) ?? []).filter(stands);
    const files = [...kept, ...now.filter((file) => !kept.includes(file))].slice(0, MAX_FILES).sort();
    if (files.length > 0) after.set(observation, files);
  }
  return after;
}

export const exists = (file: string): boolean => existsSync(join(projectRoot, file));
