import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";
import type { TicketHolder } from "./connection.ts";
import type { Sockets } from "./sockets.ts";

/**
 * Closes sockets whose session or account the database no longer has, as after it was restored from a backup: each session is
 * read once a minute. While the database is unavailable sockets stay open.
 */
export function createSessionChecks({
  sockets,
  tokens,
  everyMs,
  log,
}: {
  sockets: Sockets;
  tokens: { refusedOf(holders: Iterable<TicketHolder>, aheadMs: number): Promise<TicketHolder[]> };
  everyMs: number;
  log: Log;
}) {
  return createPolling({
    everyMs,
    async poll() {
      const holders = new Map<string, TicketHolder>();
      for (const { holder } of sockets.all) if (holder) holders.set(holder.sessionId, holder);
      for (const refused of await tokens.refusedOf(holders.values(), everyMs)) sockets.revoke(refused);
    },
    what: "check of sockets' sessions",
    log,
  });
}
