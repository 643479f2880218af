import { hasEnded } from "../../realtime/rooms/scripts/end-session.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import { isUnavailable } from "../../store/failures/unavailable.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { ApiTokens } from "./api-tokens/api-tokens.ts";
import type { SignedIn } from "./caller.ts";
import type { Revocations } from "./revocations.ts";
import type { SignIns } from "./sign-ins.ts";

/** What a caller holds: a session, or with a grant a personal API token. */
export type Held = Pick<SignedIn, "sessionId" | "grant">;

/** Whether what a caller holds has ended meanwhile. All throw invalid_token, or account_banned where it ended by a ban. */
export function createHeldChecks(deps: {
  revocations: Pick<Revocations, "find" | "isFresh" | "isBehind">;
  signIns: Pick<SignIns, "requireLasting">;
  apiTokens: Pick<ApiTokens, "requireLasting">;
  redis: RedisConnection;
}) {
  const { revocations, signIns, apiTokens, redis } = deps;

  function requireNotKnownEnded(sessionId: string): void {
    const ended = revocations.find(sessionId);
    if (ended) throw new ServiceError(ended.reason === "banned" ? "account_banned" : "invalid_token");
  }

  const requireStored = ({ sessionId, grant }: Held): Promise<void> =>
    (grant === null ? signIns : apiTokens).requireLasting(sessionId);

  return {
    /**
     * Refuses what has ended: from memory while that is fresh, else from the database, or for what goes on without it by the
     * mark that the end has left in Redis.
     */
    async requireLasting(held: Held, withoutDatabase: boolean): Promise<void> {
      requireNotKnownEnded(held.sessionId);
      if (revocations.isFresh()) return;
      if (!withoutDatabase || !revocations.isBehind()) return requireStored(held);
      if (await hasEnded(redis, held.sessionId)) throw new ServiceError("invalid_token");
    },

    /**
     * Refuses what has an end that was answered, also while memory is fresh and hasn't heard of it: what opens a socket would
     * leave it open until the database answers again. Where the mark can't be read, as its node is unavailable, the database decides.
     */
    async requireUnmarked(held: Held): Promise<void> {
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

export type HeldChecks = ReturnType<typeof createHeldChecks>;
