import type { Clock } from "../../store/clock.ts";

const WINDOW_MS = 60_000;
/** By one author, and by all: so that what else a user's own log keeps isn't pushed out of it. */
const MOST_BY_ONE = 10;
const MOST_BY_ALL = 60;
/** Pairs of author and user, and users; past it the oldest window is forgotten. */
const MAX_WINDOWS = 100_000;

type Window = { count: number; until: number };

/** How many mentions a minute one user is told of, in this process. */
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
    /** Counts one that is told; false when it would be one too many, which isn't counted. */
    take(authorId: string, userId: string): boolean {
      const now = clock.now();
      const byOne = windowOf(`${authorId}:${userId}`, now);
      const byAll = windowOf(userId, now);
      if (byOne.count >= MOST_BY_ONE || byAll.count >= MOST_BY_ALL) return false;
      byOne.count++;
      byAll.count++;
      return true;
    },
  };
}
