import { MINUTE_MS } from "../../../base/durations.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys, SHARDS, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { scriptAt } from "../../../store/redis/scripts/script.ts";

const script = scriptAt(new URL("./end-session.lua", import.meta.url));

/** A minute longer than the last access token of a session. */
const REMEMBER_MS = 16 * MINUTE_MS;
/** Per shard; by the time that this many more sessions have ended, every worker knows of the oldest one's end. */
const MAX_REMEMBERED = 20_000;

/**
 * From now on no room admits what that session sends, whichever worker receives it: each shard has the mark next to its rooms,
 * where the admission script checks it. Throws unavailable when a shard is unavailable; the other shards have the mark then.
 */
export async function endSession(redis: RedisConnection, sessionId: string): Promise<void> {
  const marked = await Promise.allSettled(
    Array.from({ length: SHARDS }, (_, shard) =>
      script(redis, [keys.shardEnded(shard)], [sessionId, String(REMEMBER_MS), String(MAX_REMEMBERED)]),
    ),
  );
  const failed = marked.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Whether the session is marked as ended. Throws unavailable. */
export async function hasEnded(redis: RedisConnection, sessionId: string): Promise<boolean> {
  // Every shard has the mark: any one will do; hashing spreads the load.
  const key = keys.shardEnded(shardOf(sessionId));
  return (await onRedis(() => redis.zscore(key, sessionId))) !== null;
}
