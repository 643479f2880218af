import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { createPolling } from "../../../base/polling.ts";
import type { hostsIn } from "../../../store/mongo/driver/hosts.ts";
import { WORKER_KINDS, type WorkerKind } from "../config/worker-kinds.ts";
import type { StoreState } from "../process/messages.ts";
import type { StoreProbe } from "./stores.ts";

const CHECK_EVERY_MS = 2_000;
/** MongoDB counts as there until it hasn't answered for this long. */
const MONGODB_AWAY_AFTER_MS = 5_000;

export type StoreWatch = {
  /** As `StoreProbe`; Redis also says whether other hosts have it. */
  check: StoreProbe["check"];
  stop(): Promise<void>;
};

/**
 * Checks both stores every two seconds, reports this host to the others through MongoDB, and passes what stands to the workers.
 * Whether other hosts have Redis can be asked only while MongoDB answers; until then what was known stands. A host that neither store
 * answers takes itself for cut off, and the hosts that it last knew for served.
 */
export async function watchStores({
  probe,
  hosts,
  ready,
  send,
  log,
}: {
  probe: Pick<StoreProbe, "check">;
  hosts: ReturnType<typeof hostsIn>;
  /** The kinds of which a worker is ready here. */
  ready: () => WorkerKind[];
  send: (state: StoreState) => void;
  log: Log;
}): Promise<StoreWatch> {
  const id = newId();
  const reports = createOutageLog(log, "report of this host");
  let mongodbAt = performance.now();
  /** The kinds that other hosts had ready when MongoDB last answered. */
  let lastOthers: string[] = [];
  let state: StoreState = { mongodb: true, redis: true, elsewhere: [] };

  async function elsewhere(hasRedis: boolean): Promise<string[]> {
    try {
      const { withRedis, withRedisSince } = await hosts.report(id, { hasRedis, ready: ready() });
      reports.succeeded();
      lastOthers = withRedis;
      return withRedisSince;
    } catch (err) {
      reports.failed(err);
      return unknown(hasRedis);
    }
  }

  /** MongoDB can't be asked: what was known stands while Redis is away. */
  function unknown(hasRedis: boolean): string[] {
    if (hasRedis) return [];
    const isCutOff = performance.now() - mongodbAt >= MONGODB_AWAY_AFTER_MS;
    return state.elsewhere.length === 0 && isCutOff ? lastOthers : state.elsewhere;
  }

  async function check(): Promise<void> {
    const answers = await probe.check();
    const redis = answers.redis === "ok";
    const hasMongodb = answers.mongodb === "ok";
    if (hasMongodb) mongodbAt = performance.now();
    const mongodb = performance.now() - mongodbAt < MONGODB_AWAY_AFTER_MS;
    const kinds = hasMongodb ? await elsewhere(redis) : unknown(redis);
    const next: StoreState = {
      mongodb,
      redis,
      elsewhere: WORKER_KINDS.filter((kind) => kinds.includes(kind)),
    };
    const before = state;
    state = next;
    logChange(before, next, log);
    send(next);
  }

  const polling = createPolling({ everyMs: CHECK_EVERY_MS, poll: check, what: "check of the stores", log });
  await polling.start();
  return {
    async check() {
      const answers = await probe.check();
      const isElsewhere = answers.redis !== "ok" && state.elsewhere.length > 0;
      return isElsewhere ? { ...answers, redis: `${answers.redis}; other hosts have it` } : answers;
    },
    async stop() {
      await polling.stop();
      // Otherwise the others forget this host after some seconds.
      await hosts.leave(id).catch((err: unknown) => log.debug({ err }, "report of this host not removed"));
    },
  };
}

function logChange(before: StoreState, next: StoreState, log: Log): void {
  if (before.mongodb && !next.mongodb) log.error("mongodb unavailable: rest not served");
  if (!before.mongodb && next.mongodb) log.info("mongodb available again");
  const kinds = next.elsewhere;
  if (before.elsewhere.length === 0 && kinds.length > 0)
    log.error({ kinds }, "redis unavailable on this host alone: other hosts serve");
  if (before.elsewhere.length > 0 && kinds.length === 0)
    log.info(
      { redis: next.redis },
      next.redis ? "redis available again on this host" : "redis unavailable on all hosts",
    );
}
