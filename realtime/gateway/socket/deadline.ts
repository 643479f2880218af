import { withDeadline } from "../../../base/deadline.ts";
import { unavailable } from "../../../contract/errors.ts";

/** How long a command or an upgrade waits for stores, from its arrival, ms. */
export const STORE_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;

/** By performance.now(). */
export const newDeadline = (): number => performance.now() + STORE_TIMEOUT_MS;

/** Throws unavailable when `work` isn't done by `deadline`. The work goes on, and its outcome is unknown then. */
export const inTime = <T>(work: Promise<T>, deadline: number): Promise<T> =>
  withDeadline(work, deadline, late);

/** Throws unavailable past the deadline: work that nobody waits for any more isn't started. */
export function requireBeforeDeadline(deadline: number): void {
  if (performance.now() >= deadline) throw late();
}

const late = () => unavailable({ retryAfterMs: RETRY_MS });
