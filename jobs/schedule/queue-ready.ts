import type { Queue, Worker } from "bullmq";
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
