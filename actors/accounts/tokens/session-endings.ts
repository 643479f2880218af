import { setTimeout as pause } from "node:timers/promises";
import type { Actor, Audit } from "../../../base/audit.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { ApiTokensStore } from "../../../store/mongo/accounts/api-tokens.ts";
import type { EndReason, SessionDoc, Sessions } from "../../../store/mongo/accounts/sessions.ts";
import type { Revoked } from "./revocations.ts";
import { publicReason, type Revocations } from "./revocations.ts";

/** Sessions per account, at most. */
export const MAX_SESSIONS = 50;
/** How many are read to end all of them: sign-ins open a session before they end those beyond MAX_SESSIONS. */
export const MAX_SESSIONS_READ = 2 * MAX_SESSIONS;

/** Every worker has read an ending from the database within this time (revocations.ts), ms. */
const READ_WITHIN_MS = 1_500;

export type SessionRevocation = { userId: string; sessionId: string | null; reason: Revoked["reason"] };

/**
 * Why a session ends, by its name in the audit log: what is stored of it, and whether its device may be in a stranger's hands
 * then, so that it no longer counts as known.
 */
const ENDINGS = {
  log_out: { stored: "ended", forgetsDevice: false },
  removed: { stored: "ended", forgetsDevice: true },
  too_many: { stored: "ended", forgetsDevice: false },
  reused: { stored: "reused", forgetsDevice: true },
  account_banned: { stored: "banned", forgetsDevice: false },
  account_deleted: { stored: "ended", forgetsDevice: false },
  password_reset: { stored: "ended", forgetsDevice: true },
  email_restored: { stored: "ended", forgetsDevice: true },
  password_changed: { stored: "ended", forgetsDevice: true },
  provider_linked: { stored: "ended", forgetsDevice: true },
  database_restored: { stored: "ended", forgetsDevice: false },
  two_factor_changed: { stored: "ended", forgetsDevice: true },
} as const satisfies Record<string, { stored: EndReason; forgetsDevice: boolean }>;

export const ENDING_REASONS: readonly string[] = Object.keys(ENDINGS);

export type Ending = { why: keyof typeof ENDINGS; by: Actor };

type Ended = Pick<SessionDoc, "_id" | "userId">;

type Deps = {
  sessions: Pick<Sessions, "end">;
  tokens: Pick<ApiTokensStore, "endOfSessions">;
  revocations: Pick<Revocations, "note">;
  audit: Audit;
  /** Notifies sockets at once; a null session means all of the user's. */
  publishRevoked: (revocation: SessionRevocation) => Promise<void>;
  log: Log;
};

/**
 * Ends sessions: stores and audits the end, records it in this worker and announces it to the others. The tokens for embedded chats
 * that a session made end right after it.
 */
export function createSessionEndings({ sessions, tokens, revocations, audit, publishRevoked, log }: Deps) {
  const outage = createOutageLog(log, "announcement of ended sessions");

  /**
   * After it, no room admits what the session sends. A worker that is cut from Redis can leave no mark there; it waits until
   * workers that aren't have read the end from the database.
   */
  async function announce(revocation: SessionRevocation): Promise<void> {
    try {
      await publishRevoked(revocation);
      outage.succeeded();
    } catch (err) {
      outage.failed(err);
      await pause(READ_WITHIN_MS);
    }
  }

  function auditEnd({ _id: sessionId, userId: accountId }: Ended, { why, by }: Ending): void {
    if (why === "log_out") audit("sign_out", by, { sessionId });
    else audit("session.ended", by, { sessionId, accountId, reason: why });
  }

  /** False when the session had already ended. */
  async function end(session: Ended, ending: Ending): Promise<boolean> {
    const { stored: reason, forgetsDevice } = ENDINGS[ending.why];
    const ended = await sessions.end(session._id, reason, forgetsDevice);
    if (ended) {
      auditEnd(session, ending);
      revocations.note({ ...session, endReason: reason });
      await announce({ userId: session.userId, sessionId: session._id, reason: publicReason(reason) });
      await endMadeBy(session.userId, [session._id], ending);
    }
    return ended;
  }

  /** Never rejects: the session has ended, and such a token is valid for hours only. */
  async function endMadeBy(userId: string, sessionIds: readonly string[], ending: Ending): Promise<void> {
    if (sessionIds.length === 0) return;
    try {
      await announceTokens(userId, await tokens.endOfSessions(userId, sessionIds), ending);
    } catch (err) {
      log.warn({ err, userId }, "tokens of an ended session not ended");
    }
  }

  /** Audits, notes and announces tokens whose end is stored. */
  async function announceTokens(userId: string, tokenIds: readonly string[], ending: Ending): Promise<void> {
    const endReason = ENDINGS[ending.why].stored;
    const reason = publicReason(endReason);
    for (const _id of tokenIds) {
      audit("api_token.ended", ending.by, { grantId: _id, accountId: userId, reason: ending.why });
      revocations.note({ _id, userId, endReason });
    }
    await Promise.all(tokenIds.map((sessionId) => announce({ userId, sessionId, reason })));
  }

  /** Announces sessions and API tokens that a committed transaction has ended; never rejects. */
  async function announceEnded(
    userId: string,
    sessionIds: readonly string[],
    ending: Ending,
    tokenIds: readonly string[] = [],
  ): Promise<void> {
    const endReason = ENDINGS[ending.why].stored;
    const reason = publicReason(endReason);
    for (const _id of sessionIds) {
      auditEnd({ _id, userId }, ending);
      revocations.note({ _id, userId, endReason });
    }
    await Promise.all([
      announceTokens(userId, tokenIds, ending),
      ...sessionIds.map((sessionId) => announce({ userId, sessionId, reason })),
    ]);
    await endMadeBy(userId, sessionIds, ending);
  }

  return { end, announce, announceEnded, auditEnd };
}
