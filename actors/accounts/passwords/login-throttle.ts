import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { rateLimited, ServiceError } from "../../../contract/errors.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";

const ATTEMPTS = 5;
const WINDOW_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const MAX_DELAY_SECONDS = 900;
/** Attempts that each process allows by itself while Redis is unavailable. */
const LOCAL_ATTEMPTS = 2;
const DAY_SECONDS = 86_400;
/** Changes per user and hour; each kind has its own bucket. */
const CHANGES = {
  /** Equals the limit of registrations per IP address: each change reveals whether an e-mail address has an account. */
  email_changes: 5,
  /** Each sends a mail with a link, which is never skipped. */
  two_factor_changes: 5,
  /** Each may take half a second of the single thread that estimates password strength. */
  password_changes: 10,
} as const;
/** Changes that each process allows while Redis is unavailable. */
const LOCAL_CHANGES = 1;
type Change = keyof typeof CHANGES;

/** Attempts with the same key are counted together. `shared`: strangers' attempts count too, so the count mustn't leak. */
export type ThrottleKey = { id: string; shared: boolean };

/** A hash, so that keys contain no client input and have a fixed length. */
const digest = (...parts: string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

export const throttleKeys = {
  /**
   * For unknown devices: the typed login only, whether or not there is such an account. A key per account would reveal which
   * name and which address belong together (decision 0012).
   */
  typed: (login: string): ThrottleKey => ({ id: digest("typed", login), shared: true }),
  device: ({ userId, deviceId }: { userId: string; deviceId: string }): ThrottleKey => ({
    id: digest("device", userId, deviceId),
    shared: false,
  }),
  /** For callers on unknown devices who have given the account's password. */
  account: (userId: string): ThrottleKey => ({ id: digest("account", userId), shared: true }),
  /** For signed-in users who must give the password or a code again. */
  session: ({ userId, sessionId }: { userId: string; sessionId: string }): ThrottleKey => ({
    id: digest("session", userId, sessionId),
    shared: false,
  }),
};

/** `attemptsAnHour` limits patient attackers who stay below five attempts a minute. */
type Guessed = { prefix: string; bucket: string; attemptsAnHour: number };

const PASSWORDS: Guessed = { prefix: "lc:login", bucket: "login", attemptsAnHour: 100 };
/** At any time three of a million codes are valid. */
export const CODES: Guessed = { prefix: "lc:two-factor", bucket: "two_factor", attemptsAnHour: 30 };

/**
 * Throttles guessing: five attempts a minute and a limit per hour for each key, then a delay that doubles each time
 * the attempts are used up within a day, to a quarter of an hour at most. It only delays and never locks an account.
 */
export function createLoginThrottle(
  redis: RedisConnection,
  { prefix, bucket, attemptsAnHour }: Guessed = PASSWORDS,
) {
  const limiter = (keyPrefix: string, points: number, localPoints: number, duration: number) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points: localPoints, duration }),
    });
  const attempts = limiter(prefix, ATTEMPTS, LOCAL_ATTEMPTS, WINDOW_SECONDS);
  const hourly = limiter(`${prefix}-hour`, attemptsAnHour, Math.ceil(attemptsAnHour / 4), HOUR_SECONDS);
  const delays = limiter(`${prefix}-delays`, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, DAY_SECONDS);

  /** Starts the key's next, longer delay; returns it in ms. */
  async function delay(id: string): Promise<number> {
    const { consumedPoints: times } = await delays.consume(id);
    const seconds = Math.min(WINDOW_SECONDS * 2 ** Math.min(times - 1, 10), MAX_DELAY_SECONDS);
    await attempts.block(id, seconds);
    return seconds * 1_000;
  }

  /** Takes one attempt; returns null, or how long to wait in ms. */
  async function take(id: string): Promise<number | null> {
    try {
      await attempts.consume(id);
    } catch (err) {
      if (!(err instanceof RateLimiterRes)) throw err;
      // The first attempt beyond the limit starts the delay; later ones wait for its end.
      return err.consumedPoints === ATTEMPTS + 1 ? delay(id) : err.msBeforeNext;
    }
    try {
      await hourly.consume(id);
    } catch (err) {
      if (!(err instanceof RateLimiterRes)) throw err;
      return delay(id);
    }
    return null;
  }

  const hourOf = (bucket: Change) =>
    limiter(`lc:changes:${bucket}`, CHANGES[bucket], LOCAL_CHANGES, HOUR_SECONDS);
  const changes: Readonly<Record<Change, RateLimiterRedis>> = {
    email_changes: hourOf("email_changes"),
    two_factor_changes: hourOf("two_factor_changes"),
    password_changes: hourOf("password_changes"),
  };

  const refund = async (id: string) => void (await Promise.all([attempts.reward(id), hourly.reward(id)]));
  const reset = async (id: string) => void (await Promise.all([attempts.delete(id), hourly.delete(id)]));

  return {
    /**
     * Runs `check`, which returns whether the password was right; throws `rate_limited` when the key has no attempts left.
     * A right password isn't counted. It also resets the count of a key that isn't shared; a reset of a shared key would
     * reveal to strangers that the owner has signed in.
     */
    async attempt({ id, shared }: ThrottleKey, check: () => Promise<boolean>): Promise<boolean> {
      const waitMs = await take(id);
      if (waitMs !== null) {
        throw rateLimited({ bucket, limit: ATTEMPTS, windowSeconds: WINDOW_SECONDS }, waitMs);
      }
      let isRight: boolean;
      try {
        isRight = await check();
      } catch (err) {
        // Nothing was checked, so it wasn't a guess.
        await refund(id);
        throw err;
      }
      if (isRight) await (shared ? refund(id) : reset(id));
      return isRight;
    },

    /** Takes one of the user's changes of that kind; it counts even if it is refused later. Throws `rate_limited`. */
    async takeChange(bucket: Change, userId: string): Promise<void> {
      try {
        await changes[bucket].consume(userId);
      } catch (err) {
        if (!(err instanceof RateLimiterRes)) throw err;
        throw rateLimited({ bucket, limit: CHANGES[bucket], windowSeconds: HOUR_SECONDS }, err.msBeforeNext);
      }
    },
  };
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;

/** Passes a refusal for too many attempts to `note`; returns the error unchanged. */
export function notingThrottle(
  err: unknown,
  note: (waited: { bucket: string; retryAfterMs: number }) => void,
): unknown {
  if (err instanceof ServiceError && err.details && "bucket" in err.details) {
    note({ bucket: err.details.bucket, retryAfterMs: err.retryAfterMs ?? 0 });
  }
  return err;
}
