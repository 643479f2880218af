import { onRedis } from "../../../store/redis/connect.ts";
import { keys, SHARDS, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { scriptAt } from "../../../store/redis/scripts/script.ts";

const script = scriptAt(new URL("./end-session.lua", import.meta.url));

/** A minute longer than the last access token of a session. */
const REMEMBER_MS = 16 * 60_000;
/** In each shard; the ends that this many came after are known to every worker by then. */
const MOST = 20_000;

/**
 * From now on no room admits what that session sends, whichever worker it is sent to: each shard has the mark beside
 * its rooms, where the script that admits looks. Throws unavailable when a shard is unavailable; the others have it then.
 */
export async function endSession(redis: RedisConnection, sessionId: string): Promise<void> {
  const marked = await Promise.allSettled(
    Array.from({ length: SHARDS }, (_, shard) =>
      script(redis, [keys.shardEnded(shard)], [sessionId, String(REMEMBER_MS), String(MOST)]),
    ),
  );
  const failed = marked.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Whether the session has that mark. Throws unavailable. */
export async function hasEnded(redis: RedisConnection, sessionId: string): Promise<boolean> {
  // Each shard has it: any one will do, and not the same one for all.
  const key = keys.shardEnded(shardOf(sessionId));
  return (await onRedis(() => redis.zscore(key, sessionId))) !== null;
}
