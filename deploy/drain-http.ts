import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Ends an HTTP server without breaking a request:
 * 1. It takes no new connection; other workers do.
 * 2. Every answer says `Connection: close` from now on, so that busy clients leave between two requests. Closing a
 *    kept connection from this side may cross with a request that is on its way, which would be lost.
 * 3. After `lingerMs` connections without a request are closed, and after `finishMs` more the rest is cut off.
 * What was upgraded is no part of it. Resolves when no connection is left.
 */
export async function drainHttp(
  server: Server,
  { lingerMs, finishMs }: { lingerMs: number; finishMs: number },
): Promise<void> {
  server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
  const closed = new Promise<true>((resolve) => {
    // Not the HTTP server's own `close`, which closes idle connections at once.
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
