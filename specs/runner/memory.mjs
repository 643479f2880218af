// A folder in memory for throwaway stores: MongoDB waits for the disk at every commit, 5 ms on a usual one, and what
// these stores hold needn't outlast the machine.
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, freemem } from "node:os";
import { join } from "node:path";
import { takePrivate } from "../../deploy/installation/private-folder.mjs";

const SHARED_MEMORY = "/dev/shm";
const TMPFS = 0x01021994;
const NO_PROGRAMS = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m;
/** Upper bound for the stores of a lane and of its specs, with room to spare: journals, oplog and data. */
const BYTES_OF_A_LANE = 2 * 1024 ** 3;
/** Left for the machine's processes and the page cache. */
const LEFT_TO_OTHERS = 4 * 1024 ** 3;

/**
 * A private folder that belongs to `home`, the same in every run, so that leftovers of a killed run are found; null without such
 * memory, or with too little of it.
 */
export function memoryFolder(home) {
  try {
    const { type, bavail, bsize } = statfsSync(SHARED_MEMORY);
    // Specs put programs into it.
    if (readFileSync("/proc/self/mounts", "utf8").match(NO_PROGRAMS)) return null;
    // One for each lane: two, and that of files that wait.
    const needed = BYTES_OF_A_LANE * (1 + Math.min(2, availableParallelism()));
    if (type !== TMPFS || bavail * bsize < needed || freemem() < needed + LEFT_TO_OTHERS) return null;
    const name = `livecore-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
    const folder = join(SHARED_MEMORY, name);
    return takePrivate(folder) === null && lstatSync(folder).uid === process.getuid() ? folder : null;
  } catch (err) {
    // This system has no such memory.
    if (err.code === "ENOENT") return null;
    throw err;
  }
}
