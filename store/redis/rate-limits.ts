import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Log } from "../../base/log.ts";
import { type RateLimit, rateLimited } from "../../contract/errors.ts";
import type { Allowance } from "../../contract/rate-limit-headers.ts";
import type { RedisConnection } from "./nodes.ts";

type Limiter = RateLimit & { shared: RateLimiterRedis; local: RateLimiterMemory };

/** While Redis is unavailable each process allows a fraction of the limit: several processes together about all of it. */
export const LOCAL_SHARE = 0.25;
/** How long Redis is skipped after a failure, so that requests don't all wait for it. */
const RETRY_MS = 500;

/** Fixed-window rate limits over all workers. `buckets` by an id that is part of the Redis key. */
export function createRateLimits<Id extends string>(deps: {
  redis: RedisConnection;
  log: Log;
  buckets: Readonly<Record<Id, RateLimit>>;
}) {
  let unavailableUntil = 0;
  const limiters = new Map<string, Limiter>();
  for (const [id, bucket] of Object.entries<RateLimit>(deps.buckets)) {
    const { limit: points, windowSeconds: duration } = bucket;
    const keyPrefix = `lc:limit:${id}`;
    limiters.set(id, {
      ...bucket,
      // A key that is used up is refused from memory for the rest of its window.
      shared: new RateLimiterRedis({
        storeClient: deps.redis,
        keyPrefix,
        points,
        duration,
        inMemoryBlockOnConsumed: points + 1,
      }),
      local: new RateLimiterMemory({
        keyPrefix,
        points: Math.max(1, Math.ceil(points * LOCAL_SHARE)),
        duration,
      }),
    });
  }

  function limiterOf(id: Id): Limiter {
    const limiter = limiters.get(id);
    if (!limiter) throw new Error(`There is no bucket ${id}`);
    return limiter;
  }

  async function sharedOrLocal<T>(
    { shared, local }: Limiter,
    ask: (limiter: RateLimiterRedis | RateLimiterMemory) => Promise<T>,
  ): Promise<T> {
    if (performance.now() < unavailableUntil) return ask(local);
    try {
      return await ask(shared);
    } catch (err) {
      if (err instanceof RateLimiterRes) throw err;
      if (performance.now() >= unavailableUntil)
        deps.log.warn({ err }, "rate limits are counted per process");
      unavailableUntil = performance.now() + RETRY_MS;
      return ask(local);
    }
  }

  return {
    /** Takes one point. Throws `rate_limited`. */
    async take(id: Id, key: string): Promise<Allowance> {
      const limiter = limiterOf(id);
      try {
        return allowance(limiter, await sharedOrLocal(limiter, (one) => one.consume(key)));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw rateLimited(limiter, refusal.msBeforeNext);
      }
    },
    /** What is left; takes no point. */
    async look(id: Id, key: string): Promise<Allowance> {
      const limiter = limiterOf(id);
      return allowance(limiter, await sharedOrLocal(limiter, (one) => one.get(key)));
    },
    /** Throws `rate_limited` when nothing is left; takes no point. */
    async requireSome(id: Id, key: string): Promise<void> {
      const limiter = limiterOf(id);
      const left = await sharedOrLocal(limiter, (one) => one.get(key));
      if (left && left.remainingPoints <= 0) throw rateLimited(limiter, left.msBeforeNext);
    },
  };
}

/** `left` null: no point was taken yet. */
function allowance({ bucket, limit, windowSeconds }: RateLimit, left: RateLimiterRes | null): Allowance {
  return {
    bucket,
    limit,
    remaining: Math.max(0, left?.remainingPoints ?? limit),
    resetSeconds: left ? Math.max(0, Math.ceil(left.msBeforeNext / 1_000)) : windowSeconds,
    windowSeconds,
  };
}
