import { CLOSINGS } from "./close-codes.ts";
import type { Connection } from "./connection.ts";
import { message } from "./frames.ts";
import type { Sockets } from "./sockets.ts";

const STEP_MS = 50;
/** The close frames need a moment to leave. */
const GONE_WITHIN_MS = 500;
/** A few are sent away sooner than the window allows. Other workers of the machine may drain at the same time. */
const MS_A_SOCKET = 10;
/** So many come back a millisecond, at most: other workers have their own sockets as well. */
const RETURNING_PER_MS = 2;
const LEAST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** Over how long clients should spread their return when so many lose their sockets at once. */
export function retryWindowMs({ sockets, leastMs }: { sockets: number; leastMs: number }): number {
  return Math.min(MAX_RETRY_MS, Math.max(leastMs, Math.round(sockets / RETURNING_PER_MS)));
}

/**
 * Says good-bye to every socket, spread evenly over at most `ms`, and names to each the time over which to spread its
 * return: they don't all reconnect at once.
 */
export async function drainSockets(sockets: Sockets, ms: number): Promise<void> {
  const leaving = [...sockets.all];
  const windowMs = Math.min(ms, leaving.length * MS_A_SOCKET);
  const tooMany = Math.max(0, leaving.length - windowMs * RETURNING_PER_MS);
  const retryAfterMs = retryWindowMs({ sockets: tooMany, leastMs: LEAST_RETRY_MS });
  const steps = Math.max(1, Math.ceil(windowMs / STEP_MS));
  for (let step = 0; step < steps; step++) {
    const from = Math.floor((leaving.length * step) / steps);
    const to = Math.floor((leaving.length * (step + 1)) / steps);
    for (const connection of leaving.slice(from, to)) sendBye(connection, retryAfterMs);
    if (step < steps - 1) await pause(STEP_MS);
  }
  // Those that were being admitted meanwhile.
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
