import type { Queue, Worker } from "bullmq";
import type { Log } from "../../base/log.ts";
import { createOutageLog } from "../../base/outage-log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/**
 * Resolves once both can work. BullMQ never retries a Redis that it didn't reach at first, so a worker that went on without
 * it would do nothing for ever. Therefore this rejects, and the process restarts.
 */
export async function queueReady(
  queue: Queue,
  worker: Worker,
  connections: readonly RedisConnection[],
): Promise<void> {
  try {
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  } catch (err) {
    void worker.close(true).catch(() => undefined);
    for (const connection of connections) connection.disconnect();
    throw err;
  }
}

/** Logs errors of a queue and its worker as one outage, which is over once `connection` is ready. */
export function reportOutages(
  what: string,
  [queue, worker]: readonly [Queue, Worker],
  { connection, log }: { connection: RedisConnection; log: Log },
): void {
  const outage = createOutageLog(log, what);
  queue.on("error", (err) => outage.failed(err));
  worker.on("error", (err) => outage.failed(err));
  connection.on("ready", outage.succeeded);
}
