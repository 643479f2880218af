import { setTimeout as pause } from "node:timers/promises";

/** A third of a spec's own time: what takes a second takes several on a machine with three lanes. */
const PATIENCE_MS = 20_000;
/** The longer it has waited, the less often it checks, since most checks are requests: an eighth of that time, within these; ms. */
const OFTEN_MS = 20;
const RARELY_MS = 250;

/**
 * Polls until `check` neither throws nor returns false, and returns its result. After the deadline it throws the last reason, so
 * that the failure says what the spec was waiting for.
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  options: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const begun = performance.now();
  const deadline = begun + (options.withinMs ?? PATIENCE_MS);
  for (;;) {
    let reason: unknown;
    try {
      const answer = await check();
      if (answer !== false) return answer;
      reason = new Error(`still false${options.what ? `: ${options.what}` : ""}`);
    } catch (err) {
      reason = err;
    }
    const now = performance.now();
    if (now > deadline) throw reason;
    await pause(options.everyMs ?? Math.min(Math.max((now - begun) / 8, OFTEN_MS), RARELY_MS));
  }
}
