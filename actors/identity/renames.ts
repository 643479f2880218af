import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Users } from "../../store/mongo/users.ts";
import { createPolling } from "../../store/polling.ts";
import { ACCESS_TOKEN_SECONDS } from "./access-tokens.ts";

/** A user whose name has just changed. */
export type Renamed = { userId: string; username: string };

/**
 * Who is called otherwise than an access token or an open socket says, known to every worker within some seconds: each
 * polls the database for the names that changed lately. That goes back for longer than tokens live, and
 * further after a time in which it couldn't be read.
 */
const POLL_MS = 2_000;
const WINDOW_MS = ACCESS_TOKEN_SECONDS * 1_000 + 60_000;
/** Changes that are remembered, the newest. A name can be changed once in 60 days. */
const MOST = 1_000;

export function createRenames(deps: { users: Pick<Users, "renamedSince">; clock: Clock; log: Log }) {
  const { users, clock, log } = deps;
  const handlers = new Set<(renamed: Renamed) => void>();
  let names = new Map<string, string>();
  /** What this worker has changed since the last question, which may not have seen it. */
  let own = new Map<string, string>();
  let askedAt = clock.now();

  function notify(renamed: Renamed): void {
    if (names.get(renamed.userId) === renamed.username) return;
    names.set(renamed.userId, renamed.username);
    for (const handler of handlers) handler(renamed);
  }

  async function poll(): Promise<void> {
    const now = clock.now();
    own = new Map();
    const lately = await users.renamedSince(new Date(Math.min(now, askedAt) - WINDOW_MS), MOST);
    askedAt = now;
    for (const renamed of lately) notify(renamed);
    names = new Map([...lately.map(({ userId, username }) => [userId, username] as const), ...own]);
  }

  const polling = createPolling({
    everyMs: POLL_MS,
    poll,
    onFailed: (err) => log.warn({ err }, "changed names can't be followed; messages may carry old ones"),
  });

  return {
    /** The user's name when that changed lately; null when the name that is known elsewhere still holds. */
    find: (userId: string): string | null => names.get(userId) ?? null,
    /** Takes in at once what this worker itself changed. */
    note(renamed: Renamed): void {
      own.set(renamed.userId, renamed.username);
      notify(renamed);
    },
    onRenamed(handler: (renamed: Renamed) => void): () => void {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    start: polling.start,
    stop: polling.stop,
  };
}
