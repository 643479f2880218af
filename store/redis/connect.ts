import { Redis } from "ioredis";
import { isRedisUnavailable } from "../../base/failures/redis.ts";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";
import { unavailable } from "../../contract/errors.ts";
import { coalesceWrites } from "./coalesce-writes.ts";
import { failFast } from "./fail-fast.ts";

/** For requests, to a single server: fails at once while Redis is unavailable, and after `deadlineMs` when it hangs. */
export function connectRedis(options: {
  url: string;
  deadlineMs: number;
  onError: (err: Error) => void;
}): Redis {
  const redis = new Redis(options.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(50 * times, 500),
    lazyConnect: true,
    enableAutoPipelining: false,
  });
  coalesceWrites(redis);
  failFast(redis, options.deadlineMs);
  redis.on("error", options.onError);
  return redis;
}

/** A connection to a single server whose commands wait during an outage. */
export function connectBlockingRedis(options: { url: string; onError: (err: Error) => void }): Redis {
  const redis = new Redis(options.url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    // Commands wait for a reply that may never come; on another connection they are sent again.
    socketTimeout: PEER_DEADLINES_MS.redisQueueSilence,
    retryStrategy: (times) => Math.min(50 * times, 500),
    lazyConnect: true,
  });
  redis.on("error", options.onError);
  return redis;
}

/** Runs one call to Redis; an outage becomes 503 `unavailable`, any other error passes unchanged. */
export async function onRedis<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (err) {
    if (isRedisUnavailable(err)) throw unavailable({ cause: err });
    throw err;
  }
}
