import { Queue, Worker } from "bullmq";
import type { Db } from "mongodb";
import type { Clock } from "../store/clock.ts";
import type { Log } from "../store/log.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { mendFollowerCounts } from "./follower-counts/mend.ts";
import { checkLedger } from "./ledger-check/check.ts";
import { QUEUE_PREFIX, queues, type UpkeepJob } from "./queues.ts";

const NIGHTLY: readonly { name: UpkeepJob; pattern: string }[] = [
  { name: "ledger-check", pattern: "17 4 * * *" },
  { name: "follower-counts", pattern: "37 4 * * *" },
];

/**
 * Recurring upkeep by BullMQ: every night the ledger is held against the balances, at 04:17 UTC, and follower counts
 * against the follows, at 04:37. Several `jobs` workers share the queue; each run happens once.
 */
export async function startUpkeep(deps: {
  connection: () => RedisConnection;
  /** Of a connection for maintenance: a check's reads may take longer than requests wait. */
  db: Db;
  clock: Clock;
  log: Log;
}) {
  const { connection, db, clock, log } = deps;

  const tasks: Record<UpkeepJob, () => Promise<void>> = {
    "ledger-check": async () => {
      const { accounts, deviations } = await checkLedger(db, () => new Date(clock.now()));
      if (deviations.length > 0)
        log.error({ accounts, deviations }, "balances differ from their ledger entries");
      else log.info({ accounts }, "every balance equals the sum of its ledger entries");
    },
    "follower-counts": async () => {
      const { channels, mended } = await mendFollowerCounts(db, () => new Date(clock.now()));
      if (mended > 0) log.warn({ channels, mended }, "follower counts were mended");
      else log.info({ channels }, "every follower count equals its follows");
    },
  };

  const queueConnection = connection();
  const workerConnection = connection();
  const queue = new Queue<undefined, void, UpkeepJob>(queues.upkeep, {
    connection: queueConnection,
    prefix: QUEUE_PREFIX,
  });
  const worker = new Worker<undefined, void, UpkeepJob>(queues.upkeep, (job) => tasks[job.name](), {
    connection: workerConnection,
    prefix: QUEUE_PREFIX,
    concurrency: 1,
    lockDuration: 30_000,
    removeOnComplete: { count: 100 },
    removeOnFail: { count: 100 },
  });
  queue.on("error", (err) => log.warn({ err }, "the upkeep queue lost Redis"));
  worker.on("error", (err) => log.warn({ err }, "the upkeep worker lost Redis"));
  worker.on("failed", (job, err) => log.error({ err, job: job?.name }, "an upkeep job failed"));
  const opts = { attempts: 3, backoff: { type: "exponential", delay: 60_000 } };
  for (const { name, pattern } of NIGHTLY) {
    await queue.upsertJobScheduler(name, { pattern, tz: "UTC" }, { name, opts });
  }
  return {
    /** Runs one now, in its turn. */
    run: (name: UpkeepJob) => queue.add(name, undefined, { attempts: 1 }),
    async stop(): Promise<void> {
      await worker.close();
      await queue.close();
      for (const used of [queueConnection, workerConnection]) used.disconnect();
    },
  };
}
