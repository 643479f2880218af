import { ServiceError } from "../../specs/contract/errors.ts";
import { CLOSE_CODES } from "../../specs/contract/frames.ts";
import type { Connection } from "./connection.ts";
import type { GatewayLimits } from "./types.ts";

const SWEEP_MS = 250;
/** After as much was published, a sweep comes early: no reader may get from the soft limit to uWS's hard one unseen. */
const SWEEP_BYTES = 256 * 1024;

/** The sockets of this worker, by user and by address, with the bounds on each. */
export function createSockets(limits: GatewayLimits) {
  const all = new Set<Connection>();
  const byUser = new Map<string, Set<Connection>>();
  const byIp = new Map<string, number>();

  let publishedBytes = 0;
  let slowReaders = 0;

  /** Always in a turn of its own: touching a socket inside uWS's `dropped` ends the process. */
  function sweep(): void {
    publishedBytes = 0;
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
    /** Throws rate_limited when the user or the address has as many as it may. */
    requireRoom({ holder, ip }: Connection): void {
      const ofUser = holder ? (byUser.get(holder.userId)?.size ?? 0) : 0;
      const tooMany =
        ofUser >= limits.socketsPerUser
          ? { bucket: "sockets_per_user", limit: limits.socketsPerUser }
          : (byIp.get(ip) ?? 0) >= limits.socketsPerIp
            ? { bucket: "sockets_per_ip", limit: limits.socketsPerIp }
            : null;
      if (tooMany) throw new ServiceError("rate_limited", { ...tooMany, retry_after_ms: 5_000 });
    },
    add(connection: Connection): void {
      all.add(connection);
      byIp.set(connection.ip, (byIp.get(connection.ip) ?? 0) + 1);
      if (!connection.holder) return;
      const { userId } = connection.holder;
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(connection));
    },
    remove(connection: Connection): void {
      if (!all.delete(connection)) return;
      const left = (byIp.get(connection.ip) ?? 1) - 1;
      if (left > 0) byIp.set(connection.ip, left);
      else byIp.delete(connection.ip);
      if (!connection.holder) return;
      const { userId } = connection.holder;
      const ofUser = byUser.get(userId);
      ofUser?.delete(connection);
      if (ofUser?.size === 0) byUser.delete(userId);
    },
    ofUser: (userId: string): Connection[] => [...(byUser.get(userId) ?? [])],
    /** `sessionId` null ends all of the user's. */
    revoke({ userId, sessionId }: { userId: string; sessionId: string | null }): void {
      for (const connection of byUser.get(userId) ?? []) {
        if (sessionId !== null && connection.holder?.sessionId !== sessionId) continue;
        connection.end(CLOSE_CODES.sessionRevoked, "session_revoked");
      }
    },
    any(): Connection | undefined {
      for (const connection of all) if (connection.isOpen) return connection;
      return undefined;
    },
    list: (): Connection[] => [...all],
    count: () => all.size,
    /** Ended with 4008 so far. */
    slowReaders: () => slowReaders,
    /** So many bytes went out to a topic. */
    published(bytes: number): void {
      const before = publishedBytes;
      publishedBytes += bytes;
      if (before < SWEEP_BYTES && publishedBytes >= SWEEP_BYTES) setImmediate(sweep);
    },
    stop: () => clearInterval(sweeping),
  };
}

export type Sockets = ReturnType<typeof createSockets>;
