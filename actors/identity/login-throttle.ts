import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

const ATTEMPTS = 5;
const WINDOW_SECONDS = 60;
const MAX_DELAY_SECONDS = 900;
/** What one process lets pass by itself while Redis is away. */
const ATTEMPTS_ALONE = 2;
const DAY_SECONDS = 86_400;

/**
 * Slows guessing down, per account: five attempts a minute, then a delay that doubles with each time they are
 * used up within a day, to a quarter of an hour at most. A delay, never a lock, and a device that was signed
 * in before has attempts of its own, so that a stranger's guessing doesn't keep the owner out.
 */
export function createLoginThrottle(redis: RedisConnection) {
  const limiter = (keyPrefix: string, points: number, pointsAlone: number, duration: number) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: pointsAlone, duration }),
    });
  const attempts = limiter("lc:login", ATTEMPTS, ATTEMPTS_ALONE, WINDOW_SECONDS);
  const delays = limiter("lc:login-delays", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, DAY_SECONDS);

  /** The refusal once attempts are used up; the first one of a window sets how long the delay is. */
  async function delayAfter(key: string, used: RateLimiterRes): Promise<number> {
    if (used.consumedPoints !== ATTEMPTS + 1) return used.msBeforeNext;
    const { consumedPoints: times } = await delays.consume(key);
    const seconds = Math.min(WINDOW_SECONDS * 2 ** Math.min(times - 1, 10), MAX_DELAY_SECONDS);
    if (seconds <= WINDOW_SECONDS) return used.msBeforeNext;
    await attempts.block(key, seconds);
    return seconds * 1_000;
  }

  return {
    /** One key an account, also when there is no such account; free of what clients may have put into it. */
    keyOf: (account: string, device: string | null) =>
      createHash("sha256")
        .update(JSON.stringify([account, device]))
        .digest("base64url"),

    /** Takes one attempt, before the password is looked at; throws `rate_limited`. */
    async take(key: string): Promise<void> {
      try {
        await attempts.consume(key);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const retryAfterMs = await delayAfter(key, refusal);
        throw new ServiceError("rate_limited", { bucket: "login", retry_after_ms: retryAfterMs });
      }
    },

    /** Called after a right password. */
    reset: async (key: string) => void (await attempts.delete(key)),
  };
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;
