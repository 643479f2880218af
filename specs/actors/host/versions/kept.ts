import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import type { Description, StoredState } from "./description.ts";

/** One state of one machine version, as an actor in it was stored at the time. */
export type KeptSnapshot = StoredState & {
  /** By event: the next state in the kept version, or the refusal's code. */
  goesTo: Record<string, string>;
};

/** A version's description, with its hash, which detects manual changes. */
type KeptMachine = { hash: string; description: Description };

const ROOT = fileURLToPath(new URL("./kept/", import.meta.url));
const DESCRIPTION = "machine.json";
export const COMMAND = "node specs/actors/host/versions/keep.mjs";

const folderOf = (machine: string, version: number) => `${ROOT}${machine}/v${version}/`;

export const isKept = (machine: string, version: number) => existsSync(folderOf(machine, version));

/** Writes immutable files: an existing file is an error, as is a state that was kept twice. */
export function keep(machine: string, version: number, kept: KeptMachine, snapshots: KeptSnapshot[]): void {
  const paths = snapshots.map(({ path }) => path);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  // Before anything is written: half a version would look like a whole one.
  if (twice !== undefined) throw new Error(`the subject of ${machine} keeps the state ${twice} twice`);
  const folder = folderOf(machine, version);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(`${folder}${name}`, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" });
  for (const { path, doc, timers, goesTo } of snapshots) write(`${path}.json`, { doc, timers, goesTo });
  write(DESCRIPTION, kept);
}

export function keptMachine(machine: string, version: number): KeptMachine | null {
  const file = `${folderOf(machine, version)}${DESCRIPTION}`;
  // Written by `keep`; a spec checks its hash.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as KeptMachine) : null;
}

/** The kept snapshots of every version, oldest first. */
export function keptSnapshots(machine: string): { version: number; kept: KeptSnapshot }[] {
  const versions = existsSync(`${ROOT}${machine}`)
    ? readdirSync(`${ROOT}${machine}`).map((name) => Number(name.slice(1)))
    : [];
  return versions
    .sort((a, b) => a - b)
    .flatMap((version) => {
      const folder = folderOf(machine, version);
      const files = readdirSync(folder).filter((name) => name !== DESCRIPTION);
      return files.map((name) => ({ version, kept: readSnapshot(folder, name) }));
    });
}

const DATES = new Set(["createdAt", "updatedAt", "dueAt", "leasedUntil"]);

function readSnapshot(folder: string, name: string): KeptSnapshot {
  const revive = (key: string, value: unknown) =>
    DATES.has(key) && typeof value === "string" ? new Date(value) : value;
  // Written by `keep`; the specs check what the code makes of it.
  const read = JSON.parse(readFileSync(`${folder}${name}`, "utf8"), revive) as Omit<
    KeptSnapshot,
    "path" | "context"
  >;
  return { ...read, path: name.replace(/\.json$/, ""), context: contextOf(read.doc) };
}

export function contextOf({ snapshot }: SnapshotDoc): unknown {
  return typeof snapshot === "object" && snapshot !== null && "context" in snapshot ? snapshot.context : null;
}
