import { isRedisUnavailable } from "../../base/failures/redis.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** TTL of a worker's hash; the worker renews it once a second. */
const TTL_MS = 10_000;

/**
 * Live sockets of rooms over all workers. Each worker has a hash from room to number of sockets, which expires with the
 * worker; so rooms in which nobody joins or leaves cost nothing.
 */
export function createConnections(redis: RedisConnection) {
  /** Of each worker; null for what Redis doesn't say. */
  async function sizes(streamId: string): Promise<(number | null)[]> {
    const workers = await orElse(redis.zrange(keys.gateways, 0, "-1"), null);
    if (workers === null) return [null];
    const read = async (worker: string) => Number((await redis.hget(keys.roomSizes(worker), streamId)) ?? 0);
    return Promise.all(workers.map((worker) => orElse(read(worker), null)));
  }

  return {
    /** `counts`: sockets by room, only of rooms where the number has changed; 0 removes a room. Throws unavailable. */
    async report(worker: string, counts: ReadonlyMap<string, number>): Promise<void> {
      const key = keys.roomSizes(worker);
      const sizes = [...counts].filter(([, count]) => count > 0);
      const empty = [...counts].flatMap(([streamId, count]) => (count === 0 ? [streamId] : []));
      await onRedis(() =>
        Promise.all([
          sizes.length > 0 ? redis.hset(key, ...sizes.flat()) : null,
          empty.length > 0 ? redis.hdel(key, ...empty) : null,
          redis.pexpire(key, TTL_MS),
        ]),
      );
    },
    /** Renews the TTL; false when Redis has no hash of this worker. Throws unavailable. */
    keep: async (worker: string): Promise<boolean> =>
      (await onRedis(() => redis.pexpire(keys.roomSizes(worker), TTL_MS))) === 1,
    /** Throws unavailable. */
    leave: async (worker: string) => void (await onRedis(() => redis.del(keys.roomSizes(worker)))),
    /** Leaves out workers whose counts are unavailable; 0 when the list of workers is unavailable. */
    async count(streamId: string): Promise<number> {
      return (await sizes(streamId)).reduce<number>((sum, size) => sum + (size ?? 0), 0);
    },
    /** Whether somebody may be connected: true also where that isn't known. */
    mayHaveSockets: async (streamId: string): Promise<boolean> =>
      (await sizes(streamId)).some((size) => size !== 0),
  };
}

/** A displayed number isn't worth failing the whole response. */
async function orElse<T, U>(reading: Promise<T>, fallback: U): Promise<T | U> {
  try {
    return await reading;
  } catch (err) {
    if (isRedisUnavailable(err)) return fallback;
    throw err;
  }
}
