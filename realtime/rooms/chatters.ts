import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** TTL of a worker's set; the worker renews it once a second. */
const TTL_MS = 10_000;
/** Up to this many entries of a room, over all workers, a page is cut out of the complete list. */
const MAX_READ_COMPLETELY = 5_000;
/** A page that starts further back than this is empty. */
const MAX_DEPTH = 1_000_000;

/** Ids all have the same length, so a room's entries are adjacent and sorted by user id. */
const entry = (streamId: string, userId: string) => `${streamId} ${userId}`;
const userIn = (text: string) => text.slice(text.indexOf(" ") + 1);

/** A signed-in user joined a room on this worker, or closed the last socket there. */
export type ChatterChange = { streamId: string; userId: string; isHere: boolean };

/**
 * Signed-in users with a socket in a room, over all workers. Each worker has one set for all of its rooms, which expires with the
 * worker; reads merge the sets of live workers only. So presence costs nothing while nobody joins or leaves.
 */
export function createChatters(redis: RedisConnection) {
  return {
    /** Throws unavailable. */
    async report(worker: string, changes: readonly ChatterChange[]): Promise<void> {
      const key = keys.roomChatters(worker);
      const [joined, left]: [string[], string[]] = [[], []];
      for (const { streamId, userId, isHere } of changes) {
        (isHere ? joined : left).push(entry(streamId, userId));
      }
      await onRedis(() =>
        Promise.all([
          joined.length > 0 ? redis.zadd(key, ...joined.flatMap((one) => [0, one])) : null,
          left.length > 0 ? redis.zrem(key, ...left) : null,
          redis.pexpire(key, TTL_MS),
        ]),
      );
    },
    /** Renews the TTL; false when Redis has no set of this worker. Throws unavailable. */
    keep: async (worker: string): Promise<boolean> =>
      (await onRedis(() => redis.pexpire(keys.roomChatters(worker), TTL_MS))) === 1,
    /** Throws unavailable. */
    leave: async (worker: string) => void (await onRedis(() => redis.del(keys.roomChatters(worker)))),
    /**
     * Ids in ascending order, each once. In a room with more than 5,000 entries `total` may count a user twice who is connected
     * to several workers. Throws unavailable.
     */
    async page(
      streamId: string,
      { skip, limit }: { skip: number; limit: number },
    ): Promise<{ items: string[]; total: number }> {
      const [from, to] = [`[${entry(streamId, "")}`, `(${streamId}!`];
      return onRedis(async () => {
        const workers = await redis.zrange(keys.gateways, 0, "-1");
        const counts = await Promise.all(
          workers.map((worker) => redis.zlexcount(keys.roomChatters(worker), from, to)),
        );
        const all = counts.reduce((sum, count) => sum + count, 0);
        const most = all <= MAX_READ_COMPLETELY ? all : Math.min(skip + limit, MAX_DEPTH);
        const parts = await Promise.all(
          workers.map((worker) => redis.zrangebylex(keys.roomChatters(worker), from, to, "LIMIT", 0, most)),
        );
        const read = parts.flat();
        const users = [...new Set(read)].sort().map(userIn);
        return { items: users.slice(skip, skip + limit), total: all - (read.length - users.length) };
      });
    },
  };
}
