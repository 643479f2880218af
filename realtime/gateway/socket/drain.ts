import { CLOSINGS } from "./close-codes.ts";
import type { Connection } from "./connection.ts";
import { message } from "./frames.ts";
import type { Sockets } from "./sockets.ts";

const STEP_MS = 50;
/** How long to wait for close frames to be sent. */
const GONE_WITHIN_MS = 500;
/**
 * Drain time per socket: a few sockets are closed sooner than the window allows. Other workers of the machine may drain at
 * the same time.
 */
const MS_PER_SOCKET = 10;
/** Maximum of reconnects per millisecond: other workers have their own sockets as well. */
const RETURNING_PER_MS = 2;
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** The window over which clients should spread their reconnects when so many lose their sockets at once. */
export function retryWindowMs({ sockets, leastMs }: { sockets: number; leastMs: number }): number {
  return Math.min(MAX_RETRY_MS, Math.max(leastMs, Math.round(sockets / RETURNING_PER_MS)));
}

/**
 * Sends `bye` to every socket and closes it, spread evenly over at most `ms`. The `bye` has the window over which to spread
 * reconnects, so that they don't all come at once.
 */
export async function drainSockets(sockets: Sockets, ms: number): Promise<void> {
  const leaving = [...sockets.all];
  const windowMs = Math.min(ms, leaving.length * MS_PER_SOCKET);
  const tooMany = Math.max(0, leaving.length - windowMs * RETURNING_PER_MS);
  const retryAfterMs = retryWindowMs({ sockets: tooMany, leastMs: MIN_RETRY_MS });
  const steps = Math.max(1, Math.ceil(windowMs / STEP_MS));
  for (let step = 0; step < steps; step++) {
    const from = Math.floor((leaving.length * step) / steps);
    const to = Math.floor((leaving.length * (step + 1)) / steps);
    for (const connection of leaving.slice(from, to)) sendBye(connection, retryAfterMs);
    if (step < steps - 1) await pause(STEP_MS);
  }
  // Sockets that were still being admitted during the drain.
  for (const connection of [...sockets.all]) sendBye(connection, retryAfterMs);
  for (let waited = 0; sockets.all.size > 0 && waited < GONE_WITHIN_MS; waited += STEP_MS)
    await pause(STEP_MS);
}

function sendBye(connection: Connection, retryAfterMs: number): void {
  if (!connection.isOpen) return;
  connection.send(message("bye", null, { retry_after_ms: retryAfterMs }));
  connection.end(CLOSINGS.restart);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
