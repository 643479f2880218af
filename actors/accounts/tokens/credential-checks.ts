import { withDeadline } from "../../../base/deadline.ts";
import { isUnavailable, nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { hasEnded } from "../../../realtime/rooms/scripts/end-session.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Revocations } from "./revocations.ts";
import type { HeldCredential, VerifiedSessions } from "./verified-sessions.ts";

/** How long callers that must work without the database wait for it to verify a credential. */
const OPTIONAL_READ_MS = 500;

/**
 * Check whether a credential exists and hasn't been revoked. All throw invalid_token, or account_banned when a ban ended it, and
 * unavailable while what they need is.
 */
export function createCredentialChecks(deps: {
  revocations: Pick<Revocations, "find" | "isFresh" | "isBehind">;
  verified: Pick<VerifiedSessions, "isVerified" | "read">;
  redis: RedisConnection;
}) {
  const { revocations, verified, redis } = deps;

  function requireNotKnownEnded(sessionId: string): void {
    const ended = revocations.find(sessionId);
    if (ended) throw new ServiceError(ended.reason === "banned" ? "account_banned" : "invalid_token");
  }

  /** False when the database doesn't answer soon. */
  async function couldRead(held: HeldCredential): Promise<boolean> {
    const reading = verified.read(held).then(() => true);
    const late = () => unavailable();
    const deadline = performance.now() + OPTIONAL_READ_MS;
    return (await nullIfUnavailable(() => withDeadline(reading, deadline, late))) ?? false;
  }

  async function requireNoMark(sessionId: string): Promise<void> {
    if (await hasEnded(redis, sessionId)) throw new ServiceError("invalid_token");
  }

  return {
    /**
     * Refuses a revoked or unknown credential: memory decides while it is fresh and has verified the credential within the last
     * minute, else the database. Callers that must work without the database check the mark that a revocation left in Redis.
     */
    async requireActive(held: HeldCredential, withoutDatabase: boolean): Promise<void> {
      requireNotKnownEnded(held.sessionId);
      if (revocations.isFresh()) {
        if (verified.isVerified(held.sessionId)) return;
        if (!withoutDatabase) return verified.read(held);
        if (await couldRead(held)) return;
      } else if (!withoutDatabase || !revocations.isBehind()) return verified.read(held);
      await requireNoMark(held.sessionId);
    },

    /**
     * Refuses any credential whose revocation was acknowledged, even when memory is fresh but doesn't have it yet: a socket
     * opened with it would stay open until the database is available again. When the mark can't be read because its Redis node
     * is unavailable, the database decides. The caller has checked `requireActive` before.
     */
    async requireUnmarked(held: HeldCredential): Promise<void> {
      requireNotKnownEnded(held.sessionId);
      try {
        await requireNoMark(held.sessionId);
      } catch (err) {
        if (!isUnavailable(err)) throw err;
        await verified.read(held);
      }
    },
  };
}

export type CredentialChecks = ReturnType<typeof createCredentialChecks>;
