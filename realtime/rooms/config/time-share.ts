import { ServiceError } from "../../../specs/contract/errors.ts";

/** The part of a worker's time that one channel's terms may take … */
const SHARE = 1 / 4;
/** … and how much at once. */
const AHEAD_MS = 250;

/** Does a piece of work, or refuses it. */
export type Spend = <Result>(work: () => Result) => Result;

/**
 * A worker's time is everybody's: work that takes more of it than its share is refused `unavailable` until that is made
 * up for. It is measured and not estimated, since no bound on what is matched tells how long a machine takes.
 */
export function timeShare(): Spend {
  let paidUntil = 0;
  return (work) => {
    const from = performance.now();
    const waitMs = paidUntil - from - AHEAD_MS / SHARE;
    if (waitMs > 0) throw new ServiceError("unavailable", { retry_after_ms: Math.ceil(waitMs) });
    const result = work();
    paidUntil = Math.max(paidUntil, from) + (performance.now() - from) / SHARE;
    return result;
  };
}
