import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Allowance } from "../../specs/contract/rate-limit-headers.ts";
import type { Log } from "../log.ts";
import type { RedisConnection } from "./nodes.ts";

/** So many in a window of so many seconds; `name` is in the answers to clients. */
export type Bucket = { name: string; points: number; seconds: number };

type Limiter = Bucket & { shared: RateLimiterRedis; alone: RateLimiterMemory };

/** While Redis is unavailable each process lets a fraction pass: several processes together about the whole. */
export const ALONE_SHARE = 0.25;
/** How long Redis is skipped after a failure, so that requests don't all wait for it. */
const RETRY_MS = 500;

/** Counts in fixed windows, over all workers. `buckets` by an id that is part of the Redis key. */
export function createRateLimits<Id extends string>(deps: {
  redis: RedisConnection;
  log: Log;
  buckets: Readonly<Record<Id, Bucket>>;
}) {
  let unavailableUntil = 0;
  const limiters = new Map<string, Limiter>();
  for (const [id, bucket] of Object.entries<Bucket>(deps.buckets)) {
    const { points, seconds: duration } = bucket;
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
      alone: new RateLimiterMemory({
        keyPrefix,
        points: Math.max(1, Math.ceil(points * ALONE_SHARE)),
        duration,
      }),
    });
  }

  function limiterOf(id: Id): Limiter {
    const limiter = limiters.get(id);
    if (!limiter) throw new Error(`There is no bucket ${id}`);
    return limiter;
  }

  async function sharedOrAlone<T>(
    { shared, alone }: Limiter,
    ask: (limiter: RateLimiterRedis | RateLimiterMemory) => Promise<T>,
  ): Promise<T> {
    if (performance.now() < unavailableUntil) return ask(alone);
    try {
      return await ask(shared);
    } catch (err) {
      if (err instanceof RateLimiterRes) throw err;
      if (performance.now() >= unavailableUntil)
        deps.log.warn({ err }, "rate limits are counted per process");
      unavailableUntil = performance.now() + RETRY_MS;
      return ask(alone);
    }
  }

  return {
    /** Takes one. Throws `rate_limited`. */
    async take(id: Id, key: string): Promise<Allowance> {
      const limiter = limiterOf(id);
      try {
        return allowance(limiter, await sharedOrAlone(limiter, (one) => one.consume(key)));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw usedUp(limiter, refusal);
      }
    },
    /** What is left, without taking any. */
    async look(id: Id, key: string): Promise<Allowance> {
      const limiter = limiterOf(id);
      return allowance(limiter, await sharedOrAlone(limiter, (one) => one.get(key)));
    },
    /** Throws `rate_limited` when none is left; takes none. */
    async requireSome(id: Id, key: string): Promise<void> {
      const limiter = limiterOf(id);
      const left = await sharedOrAlone(limiter, (one) => one.get(key));
      if (left && left.remainingPoints <= 0) throw usedUp(limiter, left);
    },
  };
}

function usedUp({ name, points, seconds }: Bucket, { msBeforeNext }: RateLimiterRes): ServiceError {
  return new ServiceError("rate_limited", {
    bucket: name,
    limit: points,
    window_seconds: seconds,
    retry_after_ms: Math.max(1, msBeforeNext),
  });
}

/** Null: nothing was taken yet. */
function allowance({ name, points, seconds }: Bucket, left: RateLimiterRes | null): Allowance {
  return {
    bucket: name,
    limit: points,
    remaining: Math.max(0, left?.remainingPoints ?? points),
    resetSeconds: left ? Math.max(0, Math.ceil(left.msBeforeNext / 1_000)) : seconds,
    windowSeconds: seconds,
  };
}
