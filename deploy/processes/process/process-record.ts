import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Identifies a process across restarts of its parent: the pid alone isn't enough, since it may be reused. */
export type ProcessRecord = { pid: number; startedAt: string };

/** A record of the running process `pid`, or null when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessRecord | null {
  const startedAt = process.platform === "linux" ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export const isAlive = ({ pid, startedAt }: ProcessRecord): boolean => identify(pid)?.startedAt === startedAt;

/** SIGTERM, then SIGKILL if it is still alive after `graceMs`. Resolves when it is gone: true if SIGTERM was enough. */
export async function endProcess(record: ProcessRecord, graceMs: number): Promise<boolean> {
  signalProcess(record, "SIGTERM");
  if (await isGoneWithin(record, graceMs)) return true;
  signalProcess(record, "SIGKILL");
  await isGoneWithin(record, 10_000);
  return false;
}

export async function isGoneWithin(record: ProcessRecord, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(record)) {
    if (performance.now() > deadline) return false;
    await delay(25);
  }
  return true;
}

/** Reads what `writeRecord` wrote; null when there is none or it is damaged (a crash while writing). */
export function readRecord(file: string): (ProcessRecord & Record<string, unknown>) | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch (err) {
    if (err instanceof SyntaxError || isMissing(err)) return null;
    throw err;
  }
  if (typeof parsed !== "object" || parsed === null) return null;
  const { pid, startedAt, ...rest } = { pid: null, startedAt: null, ...parsed };
  return typeof pid === "number" && typeof startedAt === "string" ? { ...rest, pid, startedAt } : null;
}

export function writeRecord(file: string, record: ProcessRecord & Record<string, unknown>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const removeRecord = (file: string): void => rmSync(file, { force: true });

export const isMissing = (err: unknown): boolean =>
  err instanceof Error && "code" in err && (err.code === "ENOENT" || err.code === "ESRCH");

/** Does nothing when the process is gone already. */
export function signalProcess(record: ProcessRecord, name: NodeJS.Signals): void {
  if (!isAlive(record)) return;
  try {
    process.kill(record.pid, name);
  } catch (err) {
    if (!isMissing(err)) throw err;
  }
}

/** Start time in clock ticks since boot: field 22 of stat. The process name in parentheses before it may hold any character. */
function startTimeFromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? null : (fields[18] ?? null);
}

function startTimeFromPs(pid: number): string | null {
  try {
    const shown = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return shown === "" || shown.startsWith("Z") ? null : shown.replace(/^\S+\s+/, "");
  } catch {
    // ps answers with a failure when there is no such process.
    return null;
  }
}
