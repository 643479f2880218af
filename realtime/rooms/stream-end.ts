import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

/** The last id that a shard's live stream has generated, even when the stream is empty. Throws unavailable. */
export async function lastGeneratedId(redis: RedisConnection, shard: number): Promise<string> {
  try {
    const info: unknown = await onRedis(() => redis.xinfo("STREAM", keys.shardLive(shard)));
    if (Array.isArray(info)) return String(info[info.indexOf("last-generated-id") + 1]);
    throw new Error("Redis described a stream in another form.");
  } catch (err) {
    if (err instanceof Error && err.message === "ERR no such key") return "0-0";
    throw err;
  }
}
