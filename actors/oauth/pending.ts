import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../store/clock.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { hashToken } from "../identity/refresh-tokens.ts";
import type { Sealing } from "../identity/sealing.ts";

/** How long somebody may take at the provider's page, and for choosing a name. */
export const PENDING_SECONDS = 600;

/** How many names and addresses a newcomer may try. */
const COMPLETION_TRIES = 5;
const COMPLETION_PREFIX = "lc_oc_";

/** A browser that was sent to a provider. */
export type Flow = {
  providerId: string;
  /** Hash of the browser's secret: nobody else can end what it began. */
  browser: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** Who, signed in, wants to link; null for a sign-in. */
  link: { userId: string; sessionId: string } | null;
};

/** Somebody confirmed by a provider who has no account yet. */
export type Newcomer = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  /** Hash of what the device alone has. */
  device: string;
};

export const newSecret = (): string => randomBytes(32).toString("base64url");

const SECRET = /^[\w-]{43}$/;
/** What a browser presents as its secret, if it is of that form. */
export const secretFrom = (presented: string | undefined): string | null =>
  presented !== undefined && SECRET.test(presented) ? presented : null;

export const bindingOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * What waits for somebody: sealed in Redis under the hash of a secret that only they have. Taken once, which Redis makes
 * sure of. Throws `unavailable` while Redis is unavailable.
 */
export function createPending(deps: { redis: RedisConnection; sealing: Sealing; clock: Clock }) {
  const { redis, sealing, clock } = deps;

  function sealed(key: string, value: Flow | Newcomer): string {
    const expiresAt = clock.now() + PENDING_SECONDS * 1_000;
    return sealing.seal(JSON.stringify({ value, expiresAt }), key);
  }

  const put = (key: string, value: Flow | Newcomer) =>
    onRedis(() => redis.set(key, sealed(key, value), "EX", PENDING_SECONDS));

  /** Null under a MASTER_KEY that was taken away: nobody can open it any more, so it is as good as gone. */
  function unsealed(key: string, stored: string): string | null {
    try {
      return sealing.unseal(stored, key);
    } catch {
      return null;
    }
  }

  /** What we have sealed ourselves under that key has the form that it was sealed with. */
  function opened<Value>(key: string, stored: string | null): Value | null {
    const plain = stored === null ? null : unsealed(key, stored);
    if (plain === null) return null;
    const { value, expiresAt } = JSON.parse(plain) as { value: Value; expiresAt: number };
    return expiresAt > clock.now() ? value : null;
  }

  return {
    /** Gives back its state, for the provider to send back. */
    async begin(flow: Flow): Promise<string> {
      const state = newSecret();
      await put(keys.oauthFlow(hashToken(state)), flow);
      return state;
    },
    /** Null for one that is unknown, was taken or is over. */
    async take(state: string): Promise<Flow | null> {
      const key = keys.oauthFlow(hashToken(state));
      return opened<Flow>(key, await onRedis(() => redis.getdel(key)));
    },

    async welcome(newcomer: Newcomer): Promise<string> {
      const token = COMPLETION_PREFIX + newSecret();
      await put(keys.oauthCompletion(hashToken(token)), newcomer);
      return token;
    },
    /** It stays good for some tries: a name that is taken is no reason to begin again. */
    async newcomer(token: string): Promise<Newcomer | null> {
      const key = keys.oauthCompletion(hashToken(token));
      return opened<Newcomer>(key, await onRedis(() => redis.get(key)));
    },
    /**
     * Takes one of them before it is known what becomes of it; false when none is left. More would tell of many addresses whether
     * they have an account.
     */
    async takeTry(token: string): Promise<boolean> {
      const key = keys.oauthCompletionTries(hashToken(token));
      await onRedis(() => redis.set(key, "0", "EX", PENDING_SECONDS, "NX"));
      return (await onRedis(() => redis.incr(key))) <= COMPLETION_TRIES;
    },
    endCompletion: async (token: string) =>
      void (await onRedis(() => redis.del(keys.oauthCompletion(hashToken(token))))),

    /** False for a code that was used here already. */
    async useCode(providerId: string, code: string): Promise<boolean> {
      const key = keys.oauthCode(hashToken(JSON.stringify([providerId, code])));
      return (await onRedis(() => redis.set(key, "1", "EX", PENDING_SECONDS, "NX"))) === "OK";
    },
    /** Nobody looked at it, so it may be tried again. */
    giveBackCode: async (providerId: string, code: string) =>
      void (await onRedis(() => redis.del(keys.oauthCode(hashToken(JSON.stringify([providerId, code])))))),
  };
}
