import type { Clock } from "../../../base/clock.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";

export const CHALLENGE_SECONDS = 300;

/** What a challenge was given out for; nothing else can be done with it. */
export type Purpose =
  /** `browser`: the hash of the secret of the browser that began it; null in bearer mode. */
  | { for: "sign_in"; browser: string | null }
  | { for: "registration" | "step_up"; userId: string; sessionId: string };

/**
 * Challenges that wait for a passkey, in Redis under their hash, so that each is taken once. Throws `unavailable` while Redis is
 * unavailable.
 */
export function createChallenges({ redis, clock }: { redis: RedisConnection; clock: Clock }) {
  const keyOf = (challenge: string) => keys.passkeyChallenge(hashToken(challenge));

  return {
    async put(challenge: string, purpose: Purpose): Promise<void> {
      const expiresAt = clock.now() + CHALLENGE_SECONDS * 1_000;
      const value = JSON.stringify({ purpose, expiresAt });
      await onRedis(() => redis.set(keyOf(challenge), value, "EX", CHALLENGE_SECONDS));
    },

    /** Uses it up, also for another purpose than its own. False when it is unknown, used, expired, or for something else. */
    async take(challenge: string, purpose: Purpose): Promise<boolean> {
      const stored = await onRedis(() => redis.getdel(keyOf(challenge)));
      if (stored === null) return false;
      const kept: { purpose: Purpose; expiresAt: number } = JSON.parse(stored);
      return kept.expiresAt > clock.now() && isSame(kept.purpose, purpose);
    },
  };
}

function isSame(one: Purpose, other: Purpose): boolean {
  if (one.for === "sign_in") return other.for === "sign_in" && one.browser === other.browser;
  return one.for === other.for && one.userId === other.userId && one.sessionId === other.sessionId;
}

export type Challenges = ReturnType<typeof createChallenges>;
