import { Queue, Worker } from "bullmq";
import type { Db } from "mongodb";
import type { Clock } from "../base/clock.ts";
import { MINUTE_MS } from "../base/durations.ts";
import type { Log } from "../base/log.ts";
import type { RoomLog } from "../realtime/rooms/log.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { runFollowerCounts } from "./channels/follower-counts/repair.ts";
import { runDeletedTexts } from "./chat/deleted-texts/remove.ts";
import { runRollupCheck } from "./discovery/analytics/check.ts";
import { runSearchRepair } from "./discovery/search/repair.ts";
import { runTagRenewal } from "./discovery/tags/renew.ts";
import { runUnpaidTips } from "./monetization/unpaid-tips.ts";
import { runLedgerCheck } from "./points/ledger-check/check.ts";
import { runKeptTargets } from "./safety/kept-targets.ts";
import type { NightlyDeps } from "./tasks/nightly-deps.ts";
import { queueReady, reportOutages } from "./tasks/queue-ready.ts";
import { repeat } from "./tasks/repeat.ts";

type Rooms = { log: Pick<RoomLog, "forgetUpTo"> };

type NightlyJob = {
  name: string;
  pattern: string;
  run: (deps: NightlyDeps & { rooms: Rooms }) => Promise<void>;
};

/** Every nightly job with its time as a cron pattern, UTC. */
const NIGHTLY: readonly NightlyJob[] = [
  { name: "ledger-check", pattern: "17 4 * * *", run: runLedgerCheck },
  { name: "follower-counts", pattern: "37 4 * * *", run: runFollowerCounts },
  { name: "rollups", pattern: "47 4 * * *", run: runRollupCheck },
  { name: "unpaid-tips", pattern: "57 4 * * *", run: runUnpaidTips },
  { name: "search", pattern: "17 5 * * *", run: runSearchRepair },
  { name: "tags", pattern: "7 5 * * *", run: runTagRenewal },
  { name: "deleted-texts", pattern: "27 5 * * *", run: runDeletedTexts },
  { name: "kept-targets", pattern: "7 4 * * *", run: runKeptTargets },
];

/** The name used by earlier releases, under which the schedules in Redis are stored. */
const QUEUE = "upkeep";
/** The tag keeps all of BullMQ's keys on one node of a Redis Cluster. */
const PREFIX = "{bull}";
/** Interval of the check that the schedules exist: a Redis that was emptied has none. */
const CHECK_EVERY_MS = MINUTE_MS;

/** Runs the nightly jobs by BullMQ. Several `jobs` workers share the queue; each run is taken by one of them. */
export async function startNightlyJobs(deps: {
  /** Opens a connection of its own that waits while Redis is away. */
  blockingRedis: () => RedisConnection;
  /** Of a connection for maintenance: a check's reads may take longer than requests wait. */
  maintenanceDb: Db;
  rooms: Rooms;
  clock: Clock;
  log: Log;
  lookEveryMs?: number;
}) {
  const { blockingRedis, maintenanceDb: db, rooms, clock, log, lookEveryMs = CHECK_EVERY_MS } = deps;

  async function run(name: string): Promise<void> {
    const found = NIGHTLY.find((one) => one.name === name);
    if (!found) throw new Error(`There is no nightly job ${name}`);
    await found.run({ db, now: () => new Date(clock.now()), log, rooms });
  }

  const queueConnection = blockingRedis();
  const workerConnection = blockingRedis();
  const queue = new Queue(QUEUE, {
    connection: queueConnection,
    prefix: PREFIX,
  });
  const worker = new Worker(QUEUE, (job) => run(job.name), {
    connection: workerConnection,
    prefix: PREFIX,
    concurrency: 1,
    lockDuration: 30_000,
    removeOnComplete: { count: 100 },
    removeOnFail: { count: 100 },
  });
  reportOutages("nightly queue", [queue, worker], { connection: workerConnection, log });
  worker.on("failed", (job, err) => log.error({ err, job: job?.name }, "a nightly job failed"));
  await queueReady(queue, worker, [queueConnection, workerConnection]);
  const opts = { attempts: 3, backoff: { type: "exponential", delay: MINUTE_MS } };

  /** An existing schedule is left alone: BullMQ would replace a run that is due and hasn't begun with the next night's. */
  async function schedule(): Promise<void> {
    for (const { name, pattern } of NIGHTLY) {
      const known = await queue.getJobScheduler(name);
      if (known?.pattern === pattern) continue;
      await queue.upsertJobScheduler(name, { pattern, tz: "UTC" }, { name, opts });
    }
  }

  const scheduling = repeat("nightly-schedules", schedule, { intervalMs: lookEveryMs, clock: null, log });
  return {
    /** Queues a run of one job now. */
    run: (name: string) => queue.add(name, undefined, { attempts: 1 }),
    async stop(): Promise<void> {
      const scheduled = scheduling.stop();
      await worker.close();
      await queue.close();
      // Without Redis, this ends a check that waits for it.
      for (const used of [queueConnection, workerConnection]) used.disconnect();
      await scheduled;
    },
  };
}
