import { isRedisUnavailable } from "../../store/failures/redis.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** A worker says once a second that its counts are in force. */
const KEPT_MS = 10_000;

/**
 * Live sockets of rooms over all workers. Each worker has a hash of its own, room to number of sockets, that goes when
 * the worker does; so rooms in which nobody comes or goes cost nothing.
 */
export function createConnections(redis: RedisConnection) {
  return {
    /** `counts`: sockets by room, of those that have changed; 0 takes a room out. Throws unavailable. */
    async report(worker: string, counts: ReadonlyMap<string, number>): Promise<void> {
      const key = keys.roomSizes(worker);
      const sizes = [...counts].filter(([, count]) => count > 0);
      const empty = [...counts].flatMap(([streamId, count]) => (count === 0 ? [streamId] : []));
      await onRedis(() =>
        Promise.all([
          sizes.length > 0 ? redis.hset(key, ...sizes.flat()) : null,
          empty.length > 0 ? redis.hdel(key, ...empty) : null,
          redis.pexpire(key, KEPT_MS),
        ]),
      );
    },
    /** False when Redis knows nothing of this worker's rooms. Throws unavailable. */
    keep: async (worker: string): Promise<boolean> =>
      (await onRedis(() => redis.pexpire(keys.roomSizes(worker), KEPT_MS))) === 1,
    /** Throws unavailable. */
    leave: async (worker: string) => void (await onRedis(() => redis.del(keys.roomSizes(worker)))),
    /** Without workers whose figures are unavailable; 0 when the list of workers is. */
    async count(streamId: string): Promise<number> {
      const workers = await orElse(redis.zrange(keys.gateways, 0, "-1"), []);
      const counts = await Promise.all(
        workers.map((worker) => orElse(redis.hget(keys.roomSizes(worker), streamId), null)),
      );
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
    },
  };
}

/** A figure that is shown is not worth the failure of what it is shown beside. */
async function orElse<T>(reading: Promise<T>, fallback: T): Promise<T> {
  try {
    return await reading;
  } catch (err) {
    if (isRedisUnavailable(err)) return fallback;
    throw err;
  }
}
