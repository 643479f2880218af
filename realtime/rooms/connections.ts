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
    /** Throws unavailable. */
    async count(streamId: string): Promise<number> {
      const living = await onRedis(() => redis.zrange(keys.gateways, 0, "-1"));
      const counts = await onRedis(() =>
        Promise.all(living.map((worker) => redis.hget(keys.roomSizes(worker), streamId))),
      );
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
    },
  };
}
