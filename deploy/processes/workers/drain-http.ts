import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Drains an HTTP server without breaking a request:
 * 1. It accepts no new connections; other workers do.
 * 2. From now on every response has `Connection: close`, so that busy clients leave between two requests. If this side
 *    closed a keep-alive connection instead, a request already on its way could be lost.
 * 3. After `lingerMs`, connections without a request are closed. After `finishMs` more, all others are cut.
 * Upgraded sockets aren't part of it. Resolves when no connection is left.
 */
export async function drainHttp(
  server: Server,
  { lingerMs, finishMs }: { lingerMs: number; finishMs: number },
): Promise<void> {
  server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
  const closed = new Promise<true>((resolve) => {
    // Not the HTTP server's own `close`, which would close idle connections at once.
    NetServer.prototype.close.call(server, () => resolve(true));
  });
  if (await isWithin(closed, lingerMs)) return;
  server.closeIdleConnections();
  if (await isWithin(closed, finishMs)) return;
  server.closeAllConnections();
}

async function isWithin(closed: Promise<true>, ms: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([closed, delay(ms, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}
