import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { SessionDoc } from "../../store/mongo/sessions.ts";
import { createPolling } from "../../store/polling.ts";
import { ACCESS_TOKEN_SECONDS } from "./access-tokens.ts";

/** A session that has just ended. */
export type Revoked = { userId: string; sessionId: string; reason: "ended" | "banned" };

/**
 * Which sessions have ended, known to every worker within a second:
 * 1. Ending a session writes the database's time into it; each worker polls for endings by that time.
 * 2. Each poll looks back some seconds behind the newest ending it has seen, since commits become visible
 *    out of their order; what is known already is passed over.
 * 3. An ending is remembered until the last access token of the session has run out.
 * 4. While the last good poll began less than a second ago, memory decides; else the caller reads MongoDB, or for chat the
 *    marks in Redis (end-session.ts), which are there before the end of a session is answered.
 * 5. A worker that is notified of an ending notes it at once: a poll that would bring it may not come for a whole outage.
 */
const POLL_MS = 300;
const FRESH_MS = 950;
const LOOK_BACK_MS = 10_000;
/** Where a new worker begins, with some minutes for a clock that goes wrong. */
const FIRST_LOOK_BACK_MS = ACCESS_TOKEN_SECONDS * 1_000 + 300_000;
const REMEMBER_MS = ACCESS_TOKEN_SECONDS * 1_000 + 60_000;
const PAGE = 1_000;
/** Past this many, memory is no longer trusted and MongoDB is read. */
const MAX_REMEMBERED = 200_000;

type Ended = Pick<SessionDoc, "_id" | "userId" | "endReason">;

/** What ends and is followed: sessions, and whatever is one to the rest of the service. */
export type Endings = {
  /** At that moment of the database's time or later, in the order of their end. */
  endedFrom(at: Date, limit: number): Promise<(Ended & Pick<SessionDoc, "endedAt">)[]>;
};

export const publicReason = (reason: SessionDoc["endReason"]): Revoked["reason"] =>
  reason === "banned" ? "banned" : "ended";

export function createRevocations(deps: { sources: readonly Endings[]; clock: Clock; log: Log }) {
  const { clock, log } = deps;
  const remembered = new Map<string, { revoked: Revoked; forgetAt: number }>();
  const handlers = new Set<(revoked: Revoked) => void>();
  const sources = deps.sources.map((endings) => ({
    endings,
    newestEnd: Date.now() - FIRST_LOOK_BACK_MS + LOOK_BACK_MS,
  }));
  let freshUntil = Number.NEGATIVE_INFINITY;

  function note(ended: Ended): void {
    if (remembered.has(ended._id)) return;
    const revoked: Revoked = {
      userId: ended.userId,
      sessionId: ended._id,
      reason: publicReason(ended.endReason),
    };
    if (remembered.size < MAX_REMEMBERED) {
      remembered.set(ended._id, { revoked, forgetAt: clock.now() + REMEMBER_MS });
    }
    for (const handler of handlers) handler(revoked);
  }

  function forgetOld(): void {
    const now = clock.now();
    // In the order of insertion, so the first that must stay ends the walk.
    for (const [sessionId, { forgetAt }] of remembered) {
      if (forgetAt > now) return;
      remembered.delete(sessionId);
    }
  }

  async function pollOne(source: (typeof sources)[number]): Promise<void> {
    let from = source.newestEnd - LOOK_BACK_MS;
    for (;;) {
      const page = await source.endings.endedFrom(new Date(from), PAGE);
      for (const ended of page) {
        note(ended);
        source.newestEnd = Math.max(source.newestEnd, ended.endedAt?.getTime() ?? 0);
      }
      if (page.length < PAGE) return;
      from = Math.max(from + 1, source.newestEnd);
    }
  }

  async function poll(): Promise<void> {
    const startedAt = performance.now();
    await Promise.all(sources.map(pollOne));
    freshUntil = startedAt + FRESH_MS;
    forgetOld();
  }

  const polling = createPolling({
    everyMs: POLL_MS,
    poll,
    onFailed: (err) => log.warn({ err }, "revocations can't be followed; sessions are looked up one by one"),
    onRecovered: () => log.info("revocations are followed again"),
  });

  return {
    /** How that session ended, as far as this worker knows. */
    find: (sessionId: string): Revoked | null => remembered.get(sessionId)?.revoked ?? null,
    isFresh: () => performance.now() < freshUntil && remembered.size < MAX_REMEMBERED,
    /** The database couldn't be polled for endings lately, as it could before. */
    isBehind: () => Number.isFinite(freshUntil) && performance.now() >= freshUntil,
    /** Takes in at once what this worker itself ended, or was notified of. */
    note,
    onRevoked(handler: (revoked: Revoked) => void): () => void {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    start: polling.start,
    stop: polling.stop,
  };
}

export type Revocations = ReturnType<typeof createRevocations>;
