import { CLOSE_CODES } from "../../specs/contract/frames.ts";
import type { Connection } from "./connection.ts";
import type { GatewayLimits } from "./types.ts";

const SWEEP_MS = 250;
/** After as much was published, a sweep comes early: no reader shall get from the soft limit to uWS's hard one unseen. */
const SWEEP_BYTES = 256 * 1024;
/**
 * But no sooner than this after the last: it looks at every socket, whoever it was published to. What one socket gets in
 * this time is far from what lies between the two limits.
 */
const SWEEPS_APART_MS = 50;

/** The sockets of this worker, by user, with the bound on what a slow one may hold. */
export function createSockets(limits: GatewayLimits) {
  const all = new Set<Connection>();
  const byUser = new Map<string, Set<Connection>>();

  let publishedBytes = 0;
  let sweptAt = 0;
  let early: NodeJS.Timeout | null = null;
  let slowReaders = 0;

  /** Always in a turn of its own: touching a socket inside uWS's `dropped` ends the process. */
  function sweep(): void {
    publishedBytes = 0;
    sweptAt = performance.now();
    if (early) clearTimeout(early);
    early = null;
    const now = Date.now();
    for (const connection of all) {
      const isBehind = connection.backlog > limits.softBackpressure;
      if (!isBehind && connection.stalledMs(now) <= limits.stalledMs) continue;
      connection.endSlow();
      slowReaders++;
    }
  }
  const sweeping = setInterval(sweep, SWEEP_MS);

  return {
    add(connection: Connection): void {
      all.add(connection);
      if (!connection.holder) return;
      const { userId } = connection.holder;
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(connection));
    },
    remove(connection: Connection): void {
      if (!all.delete(connection)) return;
      if (!connection.holder) return;
      const { userId } = connection.holder;
      const ofUser = byUser.get(userId);
      ofUser?.delete(connection);
      if (ofUser?.size === 0) byUser.delete(userId);
    },
    isHere: (userId: string): boolean => byUser.has(userId),
    ofUser: (userId: string): Connection[] => [...(byUser.get(userId) ?? [])],
    /** `sessionId` null ends all of the user's. */
    revoke({ userId, sessionId }: { userId: string; sessionId: string | null }): void {
      for (const connection of byUser.get(userId) ?? []) {
        if (sessionId !== null && connection.holder?.sessionId !== sessionId) continue;
        connection.end(CLOSE_CODES.sessionRevoked, "session_revoked");
      }
    },
    /** What they say from now on carries that name. */
    rename({ userId, username }: { userId: string; username: string }): void {
      for (const connection of byUser.get(userId) ?? []) connection.rename(username);
    },
    list: (): Connection[] => [...all],
    count: () => all.size,
    /** Ended with 4008 so far. */
    slowReaders: () => slowReaders,
    /** So many bytes went out to a topic. */
    published(bytes: number): void {
      publishedBytes += bytes;
      if (publishedBytes < SWEEP_BYTES) return;
      early ??= setTimeout(sweep, Math.max(0, sweptAt + SWEEPS_APART_MS - performance.now()));
    },
    stop(): void {
      clearInterval(sweeping);
      if (early) clearTimeout(early);
    },
  };
}

export type Sockets = ReturnType<typeof createSockets>;
