import { setTimeout as pause } from "node:timers/promises";

/**
 * Polls until `check` neither throws nor returns false, and returns its result. After the deadline it throws the last reason, so
 * that the failure says what the spec was waiting for.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  options: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = performance.now() + (options.withinMs ?? 5_000);
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
