import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isMissing } from "../../../deploy/processes/process/process-record.ts";

/** The kernel counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** The number of a process's open sockets, of any kind. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => leadsToSocket(`/proc/${pid}/fd/${fd}`)).length;
}

function leadsToSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch (err) {
    // Closed in the meantime.
    if (isMissing(err)) return false;
    throw err;
  }
}

/** A process's usage so far: CPU in ms, resident memory in bytes. From Linux's /proc. */
export function usageOf(pid: number): { cpuMs: number; rss: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { cpuMs, rss: Number(rss ?? 0) * 1_024 };
}
