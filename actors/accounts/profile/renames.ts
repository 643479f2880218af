import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";
import type { Users } from "../../../store/mongo/accounts/users.ts";
import { ACCESS_TOKEN_SECONDS } from "../tokens/access-tokens.ts";

/** A user whose name has just changed. */
export type Renamed = { userId: string; username: string };

/**
 * Users whose name differs from the one in their access token or open socket. Every worker learns of a rename within some
 * seconds by polling the database for recent renames. A poll looks back further than tokens live, and further still after an
 * outage of the database.
 */
const POLL_MS = 2_000;
const WINDOW_MS = ACCESS_TOKEN_SECONDS * 1_000 + MINUTE_MS;
/** The newest renames that are kept. A name can be changed once in 60 days. */
const MAX_RENAMES = 1_000;

export function createRenames(deps: { users: Pick<Users, "renamedSince">; clock: Clock; log: Log }) {
  const { users, clock, log } = deps;
  const handlers = new Set<(renamed: Renamed) => void>();
  let names = new Map<string, string>();
  /** Renames made by this worker since the last poll began, which that poll may not have seen. */
  let own = new Map<string, string>();
  let polledAt = clock.now();

  function notify(renamed: Renamed): void {
    if (names.get(renamed.userId) === renamed.username) return;
    names.set(renamed.userId, renamed.username);
    for (const handler of handlers) handler(renamed);
  }

  async function poll(): Promise<void> {
    const now = clock.now();
    own = new Map();
    const recent = await users.renamedSince(new Date(Math.min(now, polledAt) - WINDOW_MS), MAX_RENAMES);
    polledAt = now;
    for (const renamed of recent) notify(renamed);
    names = new Map([...recent.map(({ userId, username }) => [userId, username] as const), ...own]);
  }

  const polling = createPolling({
    everyMs: POLL_MS,
    poll,
    // Messages may carry old names meanwhile.
    what: "polling of changed names",
    log,
  });

  return {
    /** The user's name if it changed recently; null when the name in tokens and sockets is still current. */
    find: (userId: string): string | null => names.get(userId) ?? null,
    /** Records at once a rename made by this worker. */
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

export type Renames = ReturnType<typeof createRenames>;
