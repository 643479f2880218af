import { type Clock, processClock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";
import type { SessionDoc } from "../../../store/mongo/accounts/sessions.ts";
import { ACCESS_TOKEN_SECONDS } from "./access-tokens.ts";

/** A session that has just ended. */
export type Revoked = { userId: string; sessionId: string; reason: "ended" | "banned" };

/**
 * A feed of ended sessions, which reaches every worker within a second:
 * 1. Ending a session stores the database's time in it; each worker polls for endings by that time.
 * 2. Each poll starts some seconds before the newest ending seen, since commits become visible out of order; known endings
 *    are skipped.
 * 3. An ending is remembered until the last access token of the session has expired.
 * 4. While the last successful poll began less than a second ago, memory decides. Otherwise the caller reads MongoDB, or for
 *    chat the marks in Redis (end-session.ts), which are written before the end of a session is acknowledged.
 *    So it does while clocks differ: a new primary whose clock is behind ends sessions before the newest ending seen.
 * 5. A worker that is notified of an ending records it at once: during an outage, the next poll may be a long time away.
 */
const POLL_MS = 500;
const FRESH_MS = 950;
const LOOK_BACK_MS = 10_000;
/** How far back a new worker starts, with some minutes for clock skew. */
const FIRST_LOOK_BACK_MS = ACCESS_TOKEN_SECONDS * 1_000 + 300_000;
const REMEMBER_MS = ACCESS_TOKEN_SECONDS * 1_000 + MINUTE_MS;
const PAGE = 1_000;
/** Beyond this many, memory isn't trusted any more, and MongoDB is read. */
const MAX_REMEMBERED = 200_000;

type Ended = Pick<SessionDoc, "_id" | "userId" | "endReason">;

/** A source of endings: sessions, and whatever counts as a session elsewhere, such as API tokens. */
type Endings = {
  /** Those that ended at that database time or later, in order. */
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
    newestEnd: processClock.now() - FIRST_LOOK_BACK_MS + LOOK_BACK_MS,
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

  function evictOld(): void {
    const now = clock.now();
    // Maps iterate in insertion order, so the loop can stop at the first entry that must stay.
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
    evictOld();
  }

  const polling = createPolling({
    everyMs: POLL_MS,
    poll,
    // Sessions are looked up one by one meanwhile.
    what: "polling of ended sessions",
    log,
  });

  return {
    /** How that session ended, as far as this worker knows; null when it hasn't. */
    find: (sessionId: string): Revoked | null => remembered.get(sessionId)?.revoked ?? null,
    isFresh: () =>
      performance.now() < freshUntil && remembered.size < MAX_REMEMBERED && clock.isTrusted?.() !== false,
    /** True when polling has failed recently, after it worked before. */
    isBehind: () => Number.isFinite(freshUntil) && performance.now() >= freshUntil,
    /** Records at once an ending made by this worker, or one it was notified of. */
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
