import { Redis } from "ioredis";
import { ServiceError } from "../../specs/contract/errors.ts";
import { isRedisUnavailable } from "../failures/redis.ts";
import { failFast } from "./fail-fast.ts";
import { joinWrites } from "./join-writes.ts";

/** A connection to a single server on which a request waits: fails at once while Redis is unavailable, and after `deadlineMs` when it begins to hang. */
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
  joinWrites(redis);
  failFast(redis, options.deadlineMs);
  redis.on("error", options.onError);
  return redis;
}

/** A connection to a single server that waits through an absence. */
export function connectBlockingRedis(options: { url: string; onError: (err: Error) => void }): Redis {
  const redis = new Redis(options.url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(50 * times, 500),
    lazyConnect: true,
  });
  redis.on("error", options.onError);
  return redis;
}

/** Runs one call to Redis; its absence becomes 503 `unavailable`, any other error passes unchanged. */
export async function onRedis<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (err) {
    if (isRedisUnavailable(err))
      throw new ServiceError("unavailable", { retry_after_ms: 1_000 }, { cause: err });
    throw err;
  }
}
