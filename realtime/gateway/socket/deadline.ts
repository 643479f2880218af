import { ServiceError } from "../../../specs/contract/errors.ts";
import { within } from "../../../store/deadline.ts";

/** So long a command, or an upgrade, waits for stores, from when it came, ms. */
export const PATIENCE_MS = 5_000;
const RETRY_MS = 1_000;

/** Of performance.now(). */
export const deadlineOfNow = (): number => performance.now() + PATIENCE_MS;

/** Throws unavailable when `work` isn't done by `deadline`. It goes on, and whether it succeeds is not known then. */
export const inTime = <T>(work: Promise<T>, deadline: number): Promise<T> => within(work, deadline, late);

/** Throws unavailable past the deadline: what nobody waits for any more isn't begun. */
export function requireTime(deadline: number): void {
  if (performance.now() >= deadline) throw late();
}

const late = () => new ServiceError("unavailable", { retry_after_ms: RETRY_MS });
