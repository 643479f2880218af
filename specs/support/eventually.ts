import { setTimeout as pause } from "node:timers/promises";

/** Half of a spec's own time: what takes a second takes several on a machine with four lanes. */
const PATIENCE_MS = 10_000;

/**
 * Polls until `check` neither throws nor returns false, and returns its result. After the deadline it throws the last reason, so
 * that the failure says what the spec was waiting for.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  options: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = performance.now() + (options.withinMs ?? PATIENCE_MS);
  for (;;) {
    let reason: unknown;
    try {
      const answer = await check();
      if (answer !== false) return answer;
      reason = new Error(`still false${options.what ? `: ${options.what}` : ""}`);
    } catch (err) {
      reason = err;
    }
    if (performance.now() > deadline) throw reason;
    await pause(options.everyMs ?? 20);
  }
}
