import type { Clock } from "../../../base/clock.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { newSecret } from "../tokens/browser-secrets.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";
import type { LinkSession } from "./link-sessions.ts";

/** Time limit at the provider's page, and for choosing a name. */
export const PENDING_SECONDS = 600;

/** Attempts of a newcomer with names and addresses. */
const COMPLETION_TRIES = 5;
const COMPLETION_PREFIX = "lc_oc_";

/** A browser that was sent to a provider. */
export type Flow = {
  providerId: string;
  /** Hash of the browser's secret: only that browser can finish the flow. */
  browser: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** The signed-in user who wants to link; null for a sign-in. */
  link: LinkSession | null;
};

/** A user confirmed by a provider who has no account yet. */
type PendingRegistration = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  /** Hash of the device's secret. */
  device: string;
};

/**
 * Pending flows and registrations, sealed in Redis under the hash of a secret that only their user has. Redis makes sure that
 * each flow is taken only once. Throws `unavailable` while Redis is unavailable.
 */
export function createPending(deps: { redis: RedisConnection; sealing: Sealing; clock: Clock }) {
  const { redis, sealing, clock } = deps;

  function sealed(key: string, value: Flow | PendingRegistration): string {
    const expiresAt = clock.now() + PENDING_SECONDS * 1_000;
    return sealing.seal(JSON.stringify({ value, expiresAt }), key);
  }

  const put = (key: string, value: Flow | PendingRegistration) =>
    onRedis(() => redis.set(key, sealed(key, value), "EX", PENDING_SECONDS));

  /** Null for a value sealed under a removed MASTER_KEY: it can't be opened any more and counts as expired. */
  function unsealed(key: string, stored: string): string | null {
    try {
      return sealing.unseal(stored, key);
    } catch {
      return null;
    }
  }

  /** Trusts the type: only we could have sealed the value under that key. */
  function opened<Value>(key: string, stored: string | null): Value | null {
    const plain = stored === null ? null : unsealed(key, stored);
    if (plain === null) return null;
    const { value, expiresAt } = JSON.parse(plain) as { value: Value; expiresAt: number };
    return expiresAt > clock.now() ? value : null;
  }

  return {
    /** Returns the state, which the provider sends back. */
    async begin(flow: Flow): Promise<string> {
      const state = newSecret();
      await put(keys.oauthFlow(hashToken(state)), flow);
      return state;
    },
    /** Null for a flow that is unknown, taken or expired. */
    async take(state: string): Promise<Flow | null> {
      const key = keys.oauthFlow(hashToken(state));
      return opened<Flow>(key, await onRedis(() => redis.getdel(key)));
    },

    async welcome(newcomer: PendingRegistration): Promise<string> {
      const token = COMPLETION_PREFIX + newSecret();
      await put(keys.oauthCompletion(hashToken(token)), newcomer);
      return token;
    },
    /** The token stays valid for some attempts, so that a taken name isn't a reason to start over. */
    async newcomer(token: string): Promise<PendingRegistration | null> {
      const key = keys.oauthCompletion(hashToken(token));
      return opened<PendingRegistration>(key, await onRedis(() => redis.get(key)));
    },
    /**
     * Counts an attempt before its outcome is known; false when none is left. Without the limit, many addresses could be
     * checked for having an account.
     */
    async takeTry(token: string): Promise<boolean> {
      const key = keys.oauthCompletionTries(hashToken(token));
      await onRedis(() => redis.set(key, "0", "EX", PENDING_SECONDS, "NX"));
      return (await onRedis(() => redis.incr(key))) <= COMPLETION_TRIES;
    },
    endCompletion: async (token: string) =>
      void (await onRedis(() => redis.del(keys.oauthCompletion(hashToken(token))))),

    /** False for a code that was already used here. */
    async useCode(providerId: string, code: string): Promise<boolean> {
      const key = keys.oauthCode(hashToken(JSON.stringify([providerId, code])));
      return (await onRedis(() => redis.set(key, "1", "EX", PENDING_SECONDS, "NX"))) === "OK";
    },
    /** The provider hasn't checked the code, so it may be tried again. */
    giveBackCode: async (providerId: string, code: string) =>
      void (await onRedis(() => redis.del(keys.oauthCode(hashToken(JSON.stringify([providerId, code])))))),
  };
}
