import { violatedIndex } from "../../base/failures/mongo.ts";
import type { AnyDefinition, Refusal } from "./definition.ts";
import type { Prepared } from "./prepared.ts";
import type { Outcome, Request } from "./request.ts";
import type { TimerChanges } from "./timer-changes.ts";

/** The batch whose commit violates the index. */
type Violating = {
  prepared: Prepared;
  state: object | null;
  timers: TimerChanges;
  dropTimer(request: Request, timer: NonNullable<Request["timer"]>, refusal: Refusal): Outcome;
};

/** The refusal that the definition names for the unique index that `err` violates; null when there is none. */
export function refusalFor({ unique = {} }: AnyDefinition, err: unknown): Refusal | null {
  const index = violatedIndex(err);
  return index !== null && Object.hasOwn(unique, index) ? (unique[index] ?? null) : null;
}

/** Refuses a request whose commit would violate an index. Only a timer is removed, as after any refusal. */
export function refuseViolation(decision: Violating, request: Request, refusal: Refusal): Outcome {
  const { timer } = request;
  if (!timer || !decision.state) return { kind: "refused", refusal };
  if (!decision.prepared.timers.has(timer._id)) return { kind: "stale" };
  return decision.dropTimer(request, timer, refusal);
}

/** Whether timers of the actor fired before that request: any of them may be what violates an index. */
export const hasFiredBefore = ({ prepared, timers }: Violating, { at, timer }: Request): boolean =>
  prepared.stored.some(
    ({ timerId, dueAt }) => dueAt <= at && timerId !== timer?.timerId && timers.touches(timerId),
  );
