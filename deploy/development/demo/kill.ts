import { setTimeout as pause } from "node:timers/promises";
import { isThisMachine } from "../../../base/this-machine.ts";
import { claimedWorkers, type WorkerRecord } from "../../processes/primary/claim.ts";
import type { Viewer } from "./crowd.ts";
import type { Stage } from "./stage.ts";

const BACK_WITHIN_MS = 30_000;
/** The loss of a socket is noticed within this time. When none is, the killed worker held no sockets. */
const NOTICED_WITHIN_MS = 2_000;

export const isOnThisMachine = (baseUrl: string): boolean => isThisMachine(new URL(baseUrl).hostname);

/**
 * A realtime worker of the service that runs on `home`, from its primary's record. Throws a one-sentence error when there is
 * none to kill: the service is elsewhere, runs in production, or has no second worker to take over.
 */
export function findVictim(baseUrl: string, home: string): WorkerRecord {
  if (!isOnThisMachine(baseUrl)) {
    throw new Error(
      `--kill works on this machine alone: the service at ${new URL(baseUrl).hostname} isn't on it.`,
    );
  }
  const workers = claimedWorkers(home);
  if (workers === null) {
    throw new Error(
      `--kill needs a service that \`npm start\` runs on ${home}: start it there, or set LIVECORE_HOME as it has it.`,
    );
  }
  const realtime = workers.filter(({ kind }) => kind === "realtime");
  const [victim] = realtime;
  if (!victim || realtime.length < 2) {
    throw new Error(
      `--kill leaves nobody to hold the sockets: start the service with REALTIME_WORKERS=2 or more.`,
    );
  }
  return victim;
}

/** The viewers whose sockets died: how many lost theirs, how many are back, and after how long each had caught up, ms. */
export type Aftermath = { lost: number; back: number; tookMs: number[] };

/** Kills it with SIGKILL; resolves when every viewer who lost a socket has reconnected and caught up, or after 30 s. */
export async function killWorker({ viewers, progress }: Stage, victim: WorkerRecord): Promise<Aftermath> {
  const killedAt = performance.now();
  process.kill(victim.pid, "SIGKILL");
  const lost = () => viewers.filter(({ seen }) => seen.lostAt.some((at) => at >= killedAt)).length;
  const tookMs = () => viewers.flatMap((viewer) => lastBack(viewer, killedAt));
  while (performance.now() < killedAt + BACK_WITHIN_MS) {
    await pause(100);
    progress.show(`a realtime worker was killed: ${tookMs().length} of ${lost()} viewers are back`);
    const isKnown = lost() > 0 || performance.now() > killedAt + NOTICED_WITHIN_MS;
    if (isKnown && viewers.every(({ client }) => client.isLive) && tookMs().length === lost()) break;
  }
  const took = tookMs();
  progress.done(
    `a realtime worker was killed (process ${victim.pid}): ${lost()} of ${viewers.length} viewers had to come back, ` +
      `and had caught up after ${(Math.max(0, ...took) / 1_000).toFixed(1)} s at most`,
  );
  return { lost: lost(), back: took.length, tookMs: took };
}

/** Empty for a viewer that hasn't come back since. */
function lastBack({ seen }: Viewer, since: number): number[] {
  const at = seen.backAt.at(-1);
  return at === undefined || at < since ? [] : [at - since];
}
