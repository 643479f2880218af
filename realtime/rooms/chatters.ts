import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** A worker says once a second that its users are there. */
const KEPT_MS = 10_000;
/** Entries of a room, over all workers, up to which a page is cut out of all of them. */
const READ_WHOLE = 5_000;
/** A page that lies further back is empty. */
const MOST = 1_000_000;

/** Somebody in a room; ids have one length, so those of a room stand together, in their order. */
const entry = (streamId: string, userId: string) => `${streamId} ${userId}`;
const userIn = (text: string) => text.slice(text.indexOf(" ") + 1);

/** A signed-in user who has come to a room of that worker, or left it with the last socket. */
export type ChatterChange = { streamId: string; userId: string; isHere: boolean };

/**
 * Signed-in users with a socket in a room, over all workers. Each worker has a set of its own, of all its rooms, that goes when the
 * worker does; reading looks at the live ones alone. So who is there costs nothing while nobody comes or goes.
 */
export function createChatters(redis: RedisConnection) {
  return {
    /** Throws unavailable. */
    async report(worker: string, changes: readonly ChatterChange[]): Promise<void> {
      const key = keys.roomChatters(worker);
      const [came, left]: [string[], string[]] = [[], []];
      for (const { streamId, userId, isHere } of changes) {
        (isHere ? came : left).push(entry(streamId, userId));
      }
      await onRedis(() =>
        Promise.all([
          came.length > 0 ? redis.zadd(key, ...came.flatMap((one) => [0, one])) : null,
          left.length > 0 ? redis.zrem(key, ...left) : null,
          redis.pexpire(key, KEPT_MS),
        ]),
      );
    },
    /** False when Redis knows nobody of this worker's. Throws unavailable. */
    keep: async (worker: string): Promise<boolean> =>
      (await onRedis(() => redis.pexpire(keys.roomChatters(worker), KEPT_MS))) === 1,
    /** Throws unavailable. */
    leave: async (worker: string) => void (await onRedis(() => redis.del(keys.roomChatters(worker)))),
    /**
     * Ids in their order, each once. In a room with more than 5,000 entries `total` may count somebody twice who is connected
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
        const most = all <= READ_WHOLE ? all : Math.min(skip + limit, MOST);
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
