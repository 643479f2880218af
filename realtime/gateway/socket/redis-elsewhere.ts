import type { Log } from "../../../base/log.ts";
import { unavailable } from "../../../contract/errors.ts";
import { drainSockets } from "./drain.ts";
import type { Sockets } from "./sockets.ts";

/** How long this worker may hear nothing from Redis, ms. */
const AWAY_AFTER_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
/** Over how long sockets are sent away, ms, as in a drain. */
const LEAVES_WITHIN_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

/**
 * While this worker has heard nothing from Redis for ten seconds and another host has, its sockets get no events here and would
 * there. They are sent away as in a drain, and upgrades are refused, until Redis answers here again. If no host has Redis, sockets
 * stay.
 */
export function createRedisElsewhere({
  sockets,
  silentMs,
  isElsewhere,
  log,
}: {
  sockets: Sockets;
  /** Milliseconds since Redis last answered this worker. */
  silentMs: () => number;
  isElsewhere: () => boolean;
  log: Log;
}) {
  const isAway = () => silentMs() >= AWAY_AFTER_MS && isElsewhere();
  let wasAway = false;
  let leaving: Promise<void> | null = null;

  function check(): void {
    const away = isAway();
    if (away && !wasAway)
      log.warn({ sockets: sockets.all.size }, "redis unavailable: sockets sent to other hosts");
    if (wasAway && !away)
      log.info(
        silentMs() < AWAY_AFTER_MS
          ? "redis available again: sockets accepted"
          : "redis unavailable on all hosts: sockets accepted",
      );
    wasAway = away;
    // Again for those that were being admitted when it began.
    if (!away || leaving !== null || sockets.all.size === 0) return;
    leaving = drainSockets(sockets, LEAVES_WITHIN_MS).finally(() => {
      leaving = null;
    });
  }
  const checking = setInterval(check, CHECK_EVERY_MS);

  return {
    /** Throws unavailable while upgrades are refused. */
    requireHere(): void {
      if (isAway()) throw unavailable({ retryAfterMs: RETRY_AFTER_MS });
    },
    async stop(): Promise<void> {
      clearInterval(checking);
      await leaving;
    },
  };
}
