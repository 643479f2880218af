import { violatedIndex } from "../../store/failures/mongo.ts";
import type { AnyDefinition, Refusal } from "./definition.ts";
import type { Prepared } from "./prepared.ts";
import type { Outcome, Request } from "./request.ts";
import type { TimerChanges } from "./timer-changes.ts";

/** The batch whose commit met the index. */
type Violating = {
  prepared: Prepared;
  state: object | null;
  timers: TimerChanges;
  dropTimer(request: Request, timer: NonNullable<Request["timer"]>, refusal: Refusal): Outcome;
};

/** What the definition answers when a commit fails by this error: it names the violated index. Null when it doesn't. */
export function refusalFor({ unique = {} }: AnyDefinition, err: unknown): Refusal | null {
  const index = violatedIndex(err);
  return index !== null && Object.hasOwn(unique, index) ? (unique[index] ?? null) : null;
}

/** Refuses a request whose commit would violate an index. It changes nothing; a timer goes, as any that is refused. */
export function refuseViolation(decision: Violating, request: Request, refusal: Refusal): Outcome {
  const { timer } = request;
  if (!timer || !decision.state) return { kind: "refused", refusal };
  if (!decision.prepared.timers.has(timer._id)) return { kind: "stale" };
  return decision.dropTimer(request, timer, refusal);
}

/** Whether timers of the actor happened before that request: any of them may be what violates an index. */
export const hasFiredBefore = ({ prepared, timers }: Violating, { at, timer }: Request): boolean =>
  prepared.stored.some(
    ({ timerId, dueAt }) => dueAt <= at && timerId !== timer?.timerId && timers.touches(timerId),
  );
