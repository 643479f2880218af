import { hasEnded } from "../../realtime/rooms/scripts/end-session.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import { isUnavailable } from "../../store/failures/unavailable.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { AccountSessions } from "./account-sessions.ts";
import type { ApiTokens } from "./api-tokens/api-tokens.ts";
import type { SignedIn } from "./caller.ts";
import type { Revocations } from "./revocations.ts";

/** A caller's credential: a session, or a personal API token if it has a grant. */
export type HeldCredential = Pick<SignedIn, "sessionId" | "grant">;

/** Check whether a credential has been revoked. All throw invalid_token, or account_banned when a ban ended it. */
export function createCredentialChecks(deps: {
  revocations: Pick<Revocations, "find" | "isFresh" | "isBehind">;
  accountSessions: Pick<AccountSessions, "requireActive">;
  apiTokens: Pick<ApiTokens, "requireActive">;
  redis: RedisConnection;
}) {
  const { revocations, accountSessions, apiTokens, redis } = deps;

  function requireNotKnownEnded(sessionId: string): void {
    const ended = revocations.find(sessionId);
    if (ended) throw new ServiceError(ended.reason === "banned" ? "account_banned" : "invalid_token");
  }

  const requireStored = ({ sessionId, grant }: HeldCredential): Promise<void> =>
    (grant === null ? accountSessions : apiTokens).requireActive(sessionId);

  return {
    /**
     * Refuses a revoked credential: checks memory while that is fresh, else the database. Callers that must work without the
     * database check the mark that the revocation left in Redis.
     */
    async requireActive(held: HeldCredential, withoutDatabase: boolean): Promise<void> {
      requireNotKnownEnded(held.sessionId);
      if (revocations.isFresh()) return;
      if (!withoutDatabase || !revocations.isBehind()) return requireStored(held);
      if (await hasEnded(redis, held.sessionId)) throw new ServiceError("invalid_token");
    },

    /**
     * Refuses any credential whose revocation was acknowledged, even when memory is fresh but doesn't have it yet: a socket
     * opened with it would stay open until the database is available again. When the mark can't be read because its Redis node
     * is unavailable, the database decides.
     */
    async requireUnmarked(held: HeldCredential): Promise<void> {
      requireNotKnownEnded(held.sessionId);
      const isMarked = await hasEnded(redis, held.sessionId).catch((err: unknown) => {
        if (isUnavailable(err)) return null;
        throw err;
      });
      if (isMarked === null) return requireStored(held);
      if (isMarked) throw new ServiceError("invalid_token");
    },
  };
}

export type CredentialChecks = ReturnType<typeof createCredentialChecks>;
