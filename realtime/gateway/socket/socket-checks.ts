import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { createRedisElsewhere } from "./redis-elsewhere.ts";
import { createSessionChecks } from "./session-checks.ts";
import type { Sockets } from "./sockets.ts";

/** How long after the expiry of its personal API token a socket may end, at the latest. */
const EXPIRY_CHECK_MS = 1_000;

/**
 * Ends open sockets whose reason is gone: their token has expired, the database no longer has their session, or another host has
 * Redis and this one hasn't.
 */
export function createSocketChecks(deps: {
  sockets: Sockets;
  tokens: Parameters<typeof createSessionChecks>[0]["tokens"];
  /** How often sessions are checked. */
  everyMs: number;
  silentMs: () => number;
  isRedisElsewhere: () => boolean;
  clock: Clock;
  log: Log;
}) {
  const { sockets, clock } = deps;
  const sessions = createSessionChecks(deps);
  const elsewhere = createRedisElsewhere({ ...deps, isElsewhere: deps.isRedisElsewhere });
  const expiry = setInterval(() => sockets.endExpired(clock.now()), EXPIRY_CHECK_MS);

  return {
    /** Rejects when sessions can't be checked. */
    start: sessions.start,
    /** Throws unavailable while upgrades are refused, since another host has Redis. */
    requireHere: elsewhere.requireHere,
    async stop(): Promise<void> {
      clearInterval(expiry);
      await Promise.all([sessions.stop(), elsewhere.stop()]);
    },
  };
}
