/**
 * Sends pushes by BullMQ: one worker at a time puts due pushes into a queue, and all workers take them from it, several
 * concurrently each. A job carries nothing but an id, and each attempt of a row is one job, however often it is added: what
 * Redis loses is still due, and what it delivers twice is claimed once (actors/notifications/push/pushes.ts).
 */
import { Queue, Worker } from "bullmq";
import { settledWithin } from "../../actors/mail/send-slots.ts";
import type { Pushes } from "../../actors/notifications/push/pushes.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { queueReady, reportOutages } from "../tasks/queue-ready.ts";
import { repeatWithLease } from "../tasks/repeat-with-lease.ts";

const QUEUE = "pushes";
/** The tag keeps all of BullMQ's keys on one node of a Redis Cluster. */
const PREFIX = "{bull}";
/** Approximate length of the queue: rows are added as others leave it. */
const QUEUE_LENGTH = 400;
/** Concurrent pushes per worker. */
const CONCURRENCY = 20;
const EVERY_MS = 200;
/** Longer than an attempt takes. */
const LOCK_MS = 30_000;
/** At a stop, requests that aren't answered by then are aborted, and retried later. */
const STOPS_WITHIN_MS = 3_000;

export async function startPushes(deps: {
  pushes: Pick<Pushes, "due" | "send" | "stop" | "canSend">;
  /** A connection that fails fast. */
  redis: RedisConnection;
  /** Opens a connection of its own that waits while Redis is away. */
  blockingRedis: () => RedisConnection;
  clock: Clock;
  log: Log;
}) {
  const { pushes, redis, blockingRedis, clock, log } = deps;
  // A worker that has no way to send takes no jobs.
  if (!pushes.canSend) return { stop: async () => undefined };
  const connection = blockingRedis();
  const queue = new Queue(QUEUE, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
  const worker = new Worker<{ id: string }>(QUEUE, ({ data: { id } }) => pushes.send(id), {
    connection,
    prefix: PREFIX,
    concurrency: CONCURRENCY,
    lockDuration: LOCK_MS,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  reportOutages("push queue", [queue, worker], { connection, log });
  worker.on("failed", (_job, err) => log.warn({ err }, "a push's try wasn't finished; it is tried again"));
  await queueReady(queue, worker, [connection]);

  const filling = repeatWithLease(
    "pushes",
    async () => {
      const due = await pushes.due(QUEUE_LENGTH);
      if (due.length === 0) return;
      const opts = { removeOnComplete: true, removeOnFail: true };
      await queue.addBulk(
        due.map(({ id, tries }) => ({
          name: "push",
          data: { id },
          // A job id per attempt, so that a job that a dead worker still holds doesn't block the next attempt.
          opts: { ...opts, jobId: `${id}-${tries}` },
        })),
      );
    },
    { key: keys.pushesLease, redis, intervalMs: EVERY_MS, clock, log },
  );

  return {
    async stop(): Promise<void> {
      await filling.stop();
      const closed = worker.close();
      await settledWithin([closed], STOPS_WITHIN_MS);
      pushes.stop();
      await closed;
      await queue.close();
      connection.disconnect();
    },
  };
}
