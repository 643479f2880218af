import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

const ATTEMPTS = 5;
const WINDOW_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const MAX_DELAY_SECONDS = 900;
/** What one process lets pass by itself while Redis is unavailable. */
const ATTEMPTS_ALONE = 2;
const DAY_SECONDS = 86_400;
/** Of a user, in an hour, each a bucket of its own. */
const CHANGES = {
  /** As many as accounts may be registered from one address: each reveals whether an address has an account. */
  email_changes: 5,
  /** Each is a mail with a link, which is never left out. */
  two_factor_changes: 5,
  /** Each may be half a second of the one thread that estimates passwords. */
  password_changes: 10,
} as const;
/** While Redis is unavailable, of one process. */
const CHANGES_ALONE = 1;
type Change = keyof typeof CHANGES;

/** Whose attempts are counted together. `shared`: strangers' count here too, so nobody may learn from the count. */
export type ThrottleKey = { id: string; shared: boolean };

/** Free of what clients may have put into it, and of one length. */
const digest = (...parts: string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

export const throttleKeys = {
  /**
   * Of devices that nobody knows: what was typed and nothing else, whether or not there is such an account. A key of
   * the account would reveal which name and which address belong together (decision 0012).
   */
  typed: (login: string): ThrottleKey => ({ id: digest("typed", login), shared: true }),
  device: ({ userId, deviceId }: { userId: string; deviceId: string }): ThrottleKey => ({
    id: digest("device", userId, deviceId),
    shared: false,
  }),
  /** Of whoever has shown the password to an account, on devices that nobody knows. */
  account: (userId: string): ThrottleKey => ({ id: digest("account", userId), shared: true }),
  /** Of somebody who is signed in and has to show the password, or a code, again. */
  session: ({ userId, sessionId }: { userId: string; sessionId: string }): ThrottleKey => ({
    id: digest("session", userId, sessionId),
    shared: false,
  }),
};

/** `attemptsAnHour` is for the patient guesser who stays at five a minute. */
type Guessed = { prefix: string; bucket: string; attemptsAnHour: number };

const PASSWORDS: Guessed = { prefix: "lc:login", bucket: "login", attemptsAnHour: 100 };
/** Of a million codes three are right at any time. */
export const CODES: Guessed = { prefix: "lc:two-factor", bucket: "two_factor", attemptsAnHour: 30 };

/**
 * Slows guessing down: five attempts a minute and some an hour for each key, then a delay that doubles with each
 * time they are used up within a day, to a quarter of an hour at most. A delay, never a lock.
 */
export function createLoginThrottle(
  redis: RedisConnection,
  { prefix, bucket, attemptsAnHour }: Guessed = PASSWORDS,
) {
  const limiter = (keyPrefix: string, points: number, pointsAlone: number, duration: number) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: pointsAlone, duration }),
    });
  const attempts = limiter(prefix, ATTEMPTS, ATTEMPTS_ALONE, WINDOW_SECONDS);
  const hourly = limiter(`${prefix}-hour`, attemptsAnHour, Math.ceil(attemptsAnHour / 4), HOUR_SECONDS);
  const delays = limiter(`${prefix}-delays`, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, DAY_SECONDS);

  /** Begins the next, longer delay of that key; ms. */
  async function delay(id: string): Promise<number> {
    const { consumedPoints: times } = await delays.consume(id);
    const seconds = Math.min(WINDOW_SECONDS * 2 ** Math.min(times - 1, 10), MAX_DELAY_SECONDS);
    await attempts.block(id, seconds);
    return seconds * 1_000;
  }

  /** Takes one attempt; null, or how long to wait, ms. */
  async function take(id: string): Promise<number | null> {
    try {
      await attempts.consume(id);
    } catch (used) {
      if (!(used instanceof RateLimiterRes)) throw used;
      // The first one past the limit begins the delay, later ones wait for its end.
      return used.consumedPoints === ATTEMPTS + 1 ? delay(id) : used.msBeforeNext;
    }
    try {
      await hourly.consume(id);
    } catch (used) {
      if (!(used instanceof RateLimiterRes)) throw used;
      return delay(id);
    }
    return null;
  }

  const hourOf = (bucket: Change) =>
    limiter(`lc:changes:${bucket}`, CHANGES[bucket], CHANGES_ALONE, HOUR_SECONDS);
  const changes: Readonly<Record<Change, RateLimiterRedis>> = {
    email_changes: hourOf("email_changes"),
    two_factor_changes: hourOf("two_factor_changes"),
    password_changes: hourOf("password_changes"),
  };

  const giveBack = async (id: string) => void (await Promise.all([attempts.reward(id), hourly.reward(id)]));
  const beginAnew = async (id: string) => void (await Promise.all([attempts.delete(id), hourly.delete(id)]));

  return {
    /**
     * Runs `check`, which says whether the password was right, as often as the key may be tried; throws
     * `rate_limited` past that. A right one doesn't count. Of a key that strangers share nothing else changes, since
     * they would notice that its owner has come; any other begins anew.
     */
    async attempt({ id, shared }: ThrottleKey, check: () => Promise<boolean>): Promise<boolean> {
      const waitMs = await take(id);
      if (waitMs !== null) {
        throw new ServiceError("rate_limited", {
          ...{ bucket, limit: ATTEMPTS, window_seconds: WINDOW_SECONDS },
          retry_after_ms: waitMs,
        });
      }
      let isRight: boolean;
      try {
        isRight = await check();
      } catch (err) {
        // Nothing was looked at, so nothing was guessed.
        await giveBack(id);
        throw err;
      }
      if (isRight) await (shared ? giveBack(id) : beginAnew(id));
      return isRight;
    },

    /** Takes one of a user's changes of that kind, one that is refused afterwards too. Throws `rate_limited`. */
    async takeChange(bucket: Change, userId: string): Promise<void> {
      try {
        await changes[bucket].consume(userId);
      } catch (used) {
        if (!(used instanceof RateLimiterRes)) throw used;
        throw new ServiceError("rate_limited", {
          ...{ bucket, limit: CHANGES[bucket], window_seconds: HOUR_SECONDS },
          retry_after_ms: Math.max(1, used.msBeforeNext),
        });
      }
    },
  };
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;

/** Hands a refusal for too many attempts to `note`; gives back what was thrown. */
export function noted(
  err: unknown,
  note: (waited: { bucket: string; retryAfterMs: number }) => void,
): unknown {
  if (err instanceof ServiceError && err.details && "bucket" in err.details) {
    note({ bucket: err.details.bucket, retryAfterMs: err.retryAfterMs ?? 0 });
  }
  return err;
}
