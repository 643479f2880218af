import { MAX_WAIT_MS } from "../../base/controlled-delay.ts";
import { withDeadline } from "../../base/deadline.ts";
import { type AdmissionQueue, overloaded } from "./admission-queue.ts";

/** How long a text may wait until it is decided about, and its turn among those that wait. */
export type Patience = {
  /** By performance.now(). */
  deadline: number;
  /** How long it has waited since its arrival, ms. */
  waitedMs(): number;
  /** The result of a look-up. Throws unavailable when it isn't there by the deadline; the text wasn't admitted then. */
  for<T>(lookup: Promise<T>): Promise<T>;
  /** Runs `work` when it is the text's turn. Throws unavailable, without having run it, for one that waited too long. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
};

/** Texts of acts: they are few, others wait for them, and what was paid for isn't refused. */
export const UNLIMITED: Patience = {
  deadline: Number.POSITIVE_INFINITY,
  waitedMs: () => 0,
  for: (lookup) => lookup,
  inTurn: (work) => work(),
};

/** That of a message which arrived then, by performance.now(): a second. */
export function patienceSince(
  arrivedAt: number,
  queue: Pick<AdmissionQueue, "run" | "noteLateLookup">,
): Patience {
  const deadline = arrivedAt + MAX_WAIT_MS;
  const late = () => {
    queue.noteLateLookup();
    return overloaded();
  };
  return {
    deadline,
    waitedMs: () => Math.floor(performance.now() - arrivedAt),
    for: (lookup) => withDeadline(lookup, deadline, late),
    inTurn: (work) => queue.run(arrivedAt, work),
  };
}
