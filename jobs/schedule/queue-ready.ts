import type { Queue, Worker } from "bullmq";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/**
 * Resolves once they can work. BullMQ never looks again for a Redis that it didn't reach at first, so that a worker which goes on
 * without it would do nothing for ever: it rejects then, and the process starts anew.
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
