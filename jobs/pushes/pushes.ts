/**
 * Pushes by BullMQ: one worker at a time puts those that are due into a queue, all workers take them from there, some at a
 * time each. Jobs carry nothing but an id, and each try of a row is one job, whoever puts it there how often: what Redis loses is
 * due still, and what it gives twice is claimed once (actors/push/pushes.ts).
 */
import { Queue, Worker } from "bullmq";
import { endOf } from "../../actors/mail/places.ts";
import type { Pushes } from "../../actors/push/pushes.ts";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { queueReady } from "../schedule/queue-ready.ts";
import { repeatAlone } from "../schedule/repeat-alone.ts";

const QUEUE = "pushes";
/** The tag keeps all of BullMQ's keys on one node of a Redis Cluster. */
const PREFIX = "{bull}";
/** In the queue at a time, about: rows come into it as they leave it. */
const QUEUED = 400;
/** Of one worker. */
const AT_ONCE = 20;
const EVERY_MS = 200;
/** Longer than a try takes. */
const LOCK_MS = 30_000;
/** What isn't answered by then when it stops is broken off, and tried again. */
const STOPS_WITHIN_MS = 3_000;

export async function startPushes(deps: {
  pushes: Pick<Pushes, "due" | "send" | "stop" | "canSend">;
  /** Fails fast. */
  redis: RedisConnection;
  /** Opens a connection of its own that waits through an absence. */
  blockingRedis: () => RedisConnection;
  log: Log;
}) {
  const { pushes, redis, blockingRedis, log } = deps;
  // Nothing is taken here that nobody here could send.
  if (!pushes.canSend) return { stop: async () => undefined };
  const connection = blockingRedis();
  const queue = new Queue(QUEUE, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
  const worker = new Worker<{ id: string }>(QUEUE, ({ data: { id } }) => pushes.send(id), {
    ...{ connection, prefix: PREFIX, concurrency: AT_ONCE, lockDuration: LOCK_MS },
    ...{ removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } },
  });
  queue.on("error", (err) => log.warn({ err }, "the queue of pushes lost Redis"));
  worker.on("error", (err) => log.warn({ err }, "the worker of pushes lost Redis"));
  worker.on("failed", (_job, err) => log.warn({ err }, "a push's try wasn't finished; it is tried again"));
  await queueReady(queue, worker, [connection]);

  const filling = repeatAlone(
    "pushes",
    async () => {
      const due = await pushes.due(QUEUED);
      if (due.length === 0) return;
      const opts = { removeOnComplete: true, removeOnFail: true };
      await queue.addBulk(
        due.map(({ id, tries }) => ({
          ...{ name: "push", data: { id } },
          // Of its own for each try, so that what a dead worker still holds keeps none waiting.
          opts: { ...opts, jobId: `${id}-${tries}` },
        })),
      );
    },
    { key: keys.pushesLease, redis, intervalMs: EVERY_MS, log },
  );

  return {
    async stop(): Promise<void> {
      await filling.stop();
      const closed = worker.close();
      await endOf([closed], STOPS_WITHIN_MS);
      pushes.stop();
      await closed;
      await queue.close();
      connection.disconnect();
    },
  };
}
