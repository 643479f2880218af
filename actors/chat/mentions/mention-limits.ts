import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";

const WINDOW_MS = MINUTE_MS;
/** Mentions per minute and user, by one author and by all, so that they don't evict other events from the user's log. */
const MAX_BY_ONE = 10;
const MAX_BY_ALL = 60;
/** Windows of author-user pairs and of users; beyond that the oldest window is evicted. */
const MAX_WINDOWS = 100_000;

type Window = { count: number; until: number };

/** Rate limits for the mentions delivered to one user, per process. */
export function createMentionLimits(clock: Clock) {
  const windows = new Map<string, Window>();

  function windowOf(key: string, now: number): Window {
    const known = windows.get(key);
    if (known && known.until > now) return known;
    windows.delete(key);
    const [oldest] = windows.keys();
    if (windows.size >= MAX_WINDOWS && oldest !== undefined) windows.delete(oldest);
    const opened = { count: 0, until: now + WINDOW_MS };
    windows.set(key, opened);
    return opened;
  }

  return {
    /** Counts a mention to deliver; false, without counting it, when the limit is reached. */
    take(authorId: string, userId: string): boolean {
      const now = clock.now();
      const byOne = windowOf(`${authorId}:${userId}`, now);
      const byAll = windowOf(userId, now);
      if (byOne.count >= MAX_BY_ONE || byAll.count >= MAX_BY_ALL) return false;
      byOne.count++;
      byAll.count++;
      return true;
    },
  };
}
