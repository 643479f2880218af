import { readFileSync } from "node:fs";
import { isMissing } from "./process-record.ts";

/** For all that isn't a client's connection: stores, peers, files, other processes. Their pools are bounded to about half of it. */
const RESERVED = 512;
/** Kept for REST when sockets have taken all that they may. */
const REST_ONLY = 256;
/** A process with less than this serves hardly anybody. */
export const MIN_OPEN_FILES = 1_024;

/** How many descriptors clients' connections may take in one process. */
export type OpenFilesBudget = {
  /** Above this no more sockets are accepted. */
  sockets: number;
  /** Above this no more requests either. */
  connections: number;
};

/** This process's limit of open files; Infinity where the system doesn't say. Node has raised the soft limit to the hard one. */
export function openFilesLimit(): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits())?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

export const openFilesBudget = (limit = openFilesLimit()): OpenFilesBudget => ({
  sockets: limit - RESERVED,
  connections: limit - RESERVED + REST_ONLY,
});

function limits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch (err) {
    // Only Linux has it.
    if (isMissing(err)) return "";
    throw err;
  }
}
