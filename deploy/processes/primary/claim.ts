import { linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivate } from "../../development/home/home.ts";
import {
  endProcess,
  identify,
  isAlive,
  isGoneWithin,
  type ProcessRecord,
  readRecord,
  removeRecord,
  writeRecord,
} from "../process/process-record.ts";
import { StartError } from "../process/start-error.ts";

/**
 * A lock on a home: only one primary uses it at a time. Its record also lists its workers, so that the next start can end them
 * after a `kill -9`.
 */
export type Claim = {
  recordWorkers(workers: readonly { pid: number; kind: string }[]): void;
  release(): void;
};

/** `kind` is "" in records of older versions. */
export type WorkerRecord = ProcessRecord & { kind: string };

const LEAVES_WITHIN_MS = 5_000;

/**
 * Claims `home` for this process, once the processes of a killed predecessor are gone. Throws a StartError when another primary
 * runs on it.
 */
export async function claimHome(home: string, say: (line: string) => void): Promise<Claim> {
  const file = recordOf(home);
  const self = identify(process.pid);
  if (self === null) throw new Error("This process can't see itself in the process table.");
  makePrivate(home);

  const previous = readRecord(file);
  if (previous !== null && isAlive(previous)) throw alreadyRuns(home, previous.pid);
  if (previous !== null) await endLeftovers(workersOf(previous), say);
  removeRecord(file);

  // Creating a hard link fails when the file exists: of two primaries that start at the same time, one wins.
  const draft = `${file}.${process.pid}`;
  writeRecord(draft, { ...self, workers: [] });
  try {
    linkSync(draft, file);
  } catch (err) {
    const winner = readRecord(file);
    if (winner !== null) throw alreadyRuns(home, winner.pid);
    throw err;
  } finally {
    rmSync(draft, { force: true });
  }

  return {
    recordWorkers(workers) {
      const living = workers.flatMap(({ pid, kind }) => {
        const record = identify(pid);
        return record === null ? [] : [{ ...record, kind }];
      });
      writeRecord(file, { ...self, workers: living });
    },
    release: () => removeRecord(file),
  };
}

/** Whether a primary runs on `home` right now. */
export function isClaimed(home: string): boolean {
  const record = readRecord(recordOf(home));
  return record !== null && isAlive(record);
}

/** The living workers of the primary that runs on `home`; null when none does. */
export function claimedWorkers(home: string): WorkerRecord[] | null {
  const record = readRecord(recordOf(home));
  return record !== null && isAlive(record) ? workersOf(record).filter(isAlive) : null;
}

const recordOf = (home: string): string => join(home, "primary.json");

const alreadyRuns = (home: string, pid: number): StartError =>
  new StartError(
    `livecore already runs with this data (process ${pid}, ${home}). Stop it first, or set LIVECORE_HOME and PORT to others.`,
  );

/** Workers exit by themselves when their primary is gone; one that doesn't hangs, and is killed. */
async function endLeftovers(workers: readonly ProcessRecord[], say: (line: string) => void): Promise<void> {
  const left = workers.filter(isAlive);
  if (left.length === 0) return;
  say(`Waiting for ${left.length} workers of the last run to end …`);
  await Promise.all(
    left.map(async (worker) => {
      if (!(await isGoneWithin(worker, LEAVES_WITHIN_MS))) await endProcess(worker, 0);
    }),
  );
}

function workersOf(record: Record<string, unknown>): WorkerRecord[] {
  const workers: unknown[] = Array.isArray(record.workers) ? record.workers : [];
  return workers.flatMap((worker) => {
    if (typeof worker !== "object" || worker === null) return [];
    const { pid, startedAt, kind } = { pid: null, startedAt: null, kind: "", ...worker };
    return typeof pid === "number" && typeof startedAt === "string"
      ? [{ pid, startedAt, kind: String(kind) }]
      : [];
  });
}
