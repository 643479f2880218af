import type { Clock } from "../../../base/clock.ts";
import type { JsonWebKeySet } from "../../../contract/wire.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { ApiTokens } from "./api-tokens.ts";
import type { SignedIn } from "./caller.ts";
import { type CheckedTickets, createCheckedTickets } from "./checked-tickets.ts";
import type { CookieSessions, PresentedCookies } from "./cookie-sessions.ts";
import { createCredentialChecks } from "./credential-checks.ts";
import { createCredentials } from "./credentials.ts";
import type { KeyRing } from "./key-ring.ts";
import type { Revocations, Revoked } from "./revocations.ts";
import { createTickets } from "./tickets.ts";
import { createVerifiedSessions, type VerifiedSessions } from "./verified-sessions.ts";

/** Whom a credential belongs to, and whether it still counts: for requests, for sockets, and for other services. */
export type Tokens = CheckedTickets & {
  /**
   * By an access token, or by a personal API token where that is accepted (a bearer, X-API-Key). Throws invalid_token, or
   * account_banned when a ban ended the session. A session that the database doesn't have is invalid: each worker reads it at most
   * once a minute. While the database is unavailable it throws unavailable, unless `withoutDatabase` is set: then it relies on
   * what workers and Redis know of ended sessions.
   */
  authenticate(
    credential: string,
    via: SignedIn["via"],
    options?: { withoutDatabase?: boolean },
  ): Promise<SignedIn>;
  /** The same by the cookie that counts (`cookie-sessions.ts`). */
  authenticateByCookie(sent: PresentedCookies, options?: { withoutDatabase?: boolean }): Promise<SignedIn>;
  /** The public keys as a JWK set. */
  jwks(): JsonWebKeySet;
  /** Calls the handler for each session that ends anywhere in the cluster; returns a function that unsubscribes. */
  onRevoked(handler: (revoked: Revoked) => void): () => void;
  /** Whether that session has ended, as far as this worker knows; it learns of endings within a second. */
  isRevoked(sessionId: string): boolean;
  /** Takes in an ending reported by another worker, and passes it to the handlers. */
  noteRevoked(revoked: Revoked): void;
  /**
   * Those whose session or account the database doesn't have, or has ended; reads those that this worker hasn't verified within
   * the last minute, less `aheadMs`. Rejects while the database is unavailable.
   */
  refusedOf: VerifiedSessions["refusedOf"];
};

type Deps = {
  redis: RedisConnection;
  sessions: Pick<Sessions, "standings">;
  tokens: Pick<ApiTokensStore, "standings">;
  users: Pick<Users, "statuses">;
  keyRing: Pick<KeyRing, "jwks">;
  accessTokens: Pick<AccessTokens, "verify">;
  apiTokens: Pick<ApiTokens, "verify" | "noteUse">;
  cookieSessions: Pick<CookieSessions, "accessTokenIn">;
  revocations: Revocations;
  /** Called with each session that a request came with. */
  noteSeen(sessionId: string): void;
  /** The user's name if it changed recently, else null. */
  newNameOf(userId: string): string | null;
  clock: Clock;
};

export function createTokens(deps: Deps): Tokens {
  const { redis, keyRing, accessTokens, apiTokens, cookieSessions, revocations, clock } = deps;
  const verifyCredential = createCredentials({ accessTokens, apiTokens });
  const verified = createVerifiedSessions(deps);
  const { requireActive, requireUnmarked } = createCredentialChecks({ revocations, verified, redis });
  const tickets = createTickets({ redis, clock });

  /** Tokens and tickets have the name from when they were issued; replaces it by the current one. */
  function withNewName<Named extends { userId: string; username: string }>(named: Named): Named {
    return { ...named, username: deps.newNameOf(named.userId) ?? named.username };
  }

  const authenticate: Tokens["authenticate"] = async (credential, via, { withoutDatabase = false } = {}) => {
    const caller = await verifyCredential(credential, via);
    await requireActive(caller, withoutDatabase);
    if (caller.grant) apiTokens.noteUse(caller.sessionId);
    else deps.noteSeen(caller.sessionId);
    return withNewName(caller);
  };

  return {
    authenticate,
    authenticateByCookie: async (sent, options) =>
      authenticate(await cookieSessions.accessTokenIn(sent), "cookie", options),
    ...createCheckedTickets({ tickets, requireActive, requireUnmarked, withNewName, clock }),
    jwks: () => keyRing.jwks(),
    onRevoked: (handler) => revocations.onRevoked(handler),
    isRevoked: (sessionId) => revocations.find(sessionId) !== null,
    noteRevoked: ({ userId, sessionId, reason }) =>
      revocations.note({ _id: sessionId, userId, endReason: reason }),
    refusedOf: verified.refusedOf,
  };
}
