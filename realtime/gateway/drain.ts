import { CLOSE_CODES } from "../../specs/contract/frames.ts";
import type { Connection } from "./connection.ts";
import { message } from "./frames.ts";
import type { Sockets } from "./sockets.ts";

const STEP_MS = 50;
/** The close frames need a moment to leave. */
const GONE_WITHIN_MS = 500;
const RETRY_AFTER_MS = 1_000;

/** Says good-bye to every socket, spread evenly over `ms` so that they don't all come back at once. */
export async function drainSockets(sockets: Sockets, ms: number): Promise<void> {
  const leaving = sockets.list();
  const steps = Math.max(1, Math.ceil(ms / STEP_MS));
  for (let step = 0; step < steps; step++) {
    const from = Math.floor((leaving.length * step) / steps);
    const to = Math.floor((leaving.length * (step + 1)) / steps);
    for (const connection of leaving.slice(from, to)) sayBye(connection);
    if (step < steps - 1) await pause(STEP_MS);
  }
  // Those that were being admitted meanwhile.
  for (const connection of sockets.list()) sayBye(connection);
  for (let waited = 0; sockets.count() > 0 && waited < GONE_WITHIN_MS; waited += STEP_MS)
    await pause(STEP_MS);
}

function sayBye(connection: Connection): void {
  if (!connection.isOpen) return;
  connection.send(message("bye", null, { retry_after_ms: RETRY_AFTER_MS }));
  connection.end(CLOSE_CODES.restart, "restart");
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
