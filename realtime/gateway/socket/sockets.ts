import { CLOSINGS } from "./close-codes.ts";
import type { Connection } from "./connection.ts";

/** The open sockets of this worker, by user. */
export function createSockets() {
  const all = new Set<Connection>();
  const byUser = new Map<string, Set<Connection>>();
  const expiring = new Set<Connection>();

  return {
    all: all as ReadonlySet<Connection>,
    add(connection: Connection): void {
      all.add(connection);
      if (!connection.holder) return;
      const { userId, grant } = connection.holder;
      if (grant?.expiresAt != null) expiring.add(connection);
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(connection));
    },
    remove(connection: Connection): void {
      if (!all.delete(connection)) return;
      expiring.delete(connection);
      if (!connection.holder) return;
      const { userId } = connection.holder;
      const ofUser = byUser.get(userId);
      ofUser?.delete(connection);
      if (ofUser?.size === 0) byUser.delete(userId);
    },
    isHere: (userId: string): boolean => byUser.has(userId),
    /** `sessionId` null ends all of the user's sockets. */
    revoke({ userId, sessionId }: { userId: string; sessionId: string | null }): void {
      for (const connection of byUser.get(userId) ?? []) {
        if (sessionId !== null && connection.holder?.sessionId !== sessionId) continue;
        connection.end(CLOSINGS.sessionRevoked);
      }
    },
    endExpired(now: number): void {
      for (const connection of expiring)
        if ((connection.holder?.grant?.expiresAt ?? now) <= now) connection.end(CLOSINGS.sessionRevoked);
    },
    /** Messages that they send from now on carry the new name. */
    rename({ userId, username }: { userId: string; username: string }): void {
      for (const connection of byUser.get(userId) ?? []) connection.rename(username);
    },
  };
}

export type Sockets = ReturnType<typeof createSockets>;
