import { type AnyMachineSnapshot, initialTransition } from "xstate";
import type { HistoryDoc } from "../../store/mongo/history.ts";
import type { IdempotencyDoc } from "../../store/mongo/idempotency.ts";
import { type ActorState, type AnyDefinition, refuse } from "./definition.ts";
import type { EffectHandler, Occurrence } from "./effect.ts";
import { persist, stateOf } from "./envelope.ts";
import type { CommittedRows } from "./fresh-rows.ts";
import type { Outcome, Request } from "./request.ts";
import { step } from "./step.ts";
import { TimerChanges } from "./timer-changes.ts";

/** How long a key answers for its request. */
const KEY_LIFE_MS = 24 * 3_600_000;

/** All that a batch was prepared with: read after the snapshot, so that a change since fails the commit. */
export type Prepared = {
  definition: AnyDefinition;
  actor: string;
  id: string;
  /** Version of the stored snapshot; 0 = there is none. */
  version: number;
  snapshot: AnyMachineSnapshot | null;
  /** Ids of this batch's timers that still exist. */
  timers: Set<string>;
  /** Keys of this batch that have been answered before and count, and those that counted once. */
  answered: Map<string, IdempotencyDoc>;
  expiredKeys: string[];
  work: object;
};

export type Action = { type: string; params?: unknown };

/** A batch decided in memory: one event after the other, nothing written yet. */
export class Fold {
  readonly prepared: Prepared;
  readonly outcomes = new Map<Request, Outcome>();
  readonly effects = new Map<string, Occurrence<unknown, object>[]>();
  readonly timers: TimerChanges;
  readonly history: Omit<HistoryDoc, "_id" | "actor" | "version">[] = [];
  readonly keys: IdempotencyDoc[] = [];
  snapshot: AnyMachineSnapshot | null;
  state: ActorState<object> | null;
  /** False = nothing to write. */
  changed = false;
  /** What is to be told of it; null before the commit, and when only the store knows. */
  committed: CommittedRows | null = null;

  constructor(prepared: Prepared, now: Date) {
    this.prepared = prepared;
    this.snapshot = prepared.snapshot;
    this.state = prepared.snapshot && stateOf(prepared.id, prepared.snapshot, now);
    this.timers = new TimerChanges(prepared.actor);
  }

  /** Decides one request: an answer given before, a refusal, or a step. */
  take(request: Request): void {
    this.outcomes.set(request, this.#answeredBefore(request) ?? this.#decide(request));
  }

  #answeredBefore({ once }: Request): Outcome | null {
    const known = once && this.prepared.answered.get(once.key);
    if (!known) return null;
    if (known.requestHash === once.requestHash) return { kind: "answered", answer: known.answer };
    return { kind: "refused", refusal: { code: "idempotency_conflict" } };
  }

  #decide(request: Request): Outcome {
    const { definition, work } = this.prepared;
    if (!this.snapshot || !this.state) {
      if (!request.input) return { kind: "refused", refusal: { code: "not_found" } };
      const refusal = definition.refuseCreation(request.input, work);
      if (refusal) return { kind: "refused", refusal };
      const first = this.#try(() => this.#create(request));
      if (first || !request.command) return first ?? this.#answer(request);
    }
    if (request.timer) return this.#fire(request, request.timer);
    if (!request.command) return { kind: "refused", refusal: this.#wrongState() };
    return this.#tell(request, request.command);
  }

  #fire(request: Request, timer: NonNullable<Request["timer"]>): Outcome {
    if (!this.prepared.timers.has(timer._id) || this.timers.touches(timer.timerId)) return { kind: "stale" };
    this.timers.cancel(timer.timerId);
    this.changed = true; // the row goes, even when the state has no use for the event
    const command = Object.hasOwn(this.prepared.definition.commands, timer.event.type);
    const outcome = command ? this.#tell(request, timer.event) : this.#step(request, timer.event);
    return outcome.kind === "refused" ? { kind: "stale" } : outcome;
  }

  #tell(request: Request, command: { type: string }): Outcome {
    const { definition, work } = this.prepared;
    if (!this.state) throw new Error("told before it was created");
    const { by, at } = request;
    const admission = definition.admit(command, { state: this.state, work, by, at });
    return admission.ok
      ? this.#step(request, admission.event)
      : { kind: "refused", refusal: admission.refusal };
  }

  #step(request: Request, event: { type: string }): Outcome {
    const from = this.snapshot;
    if (!from) throw new Error("stepped before it was created");
    const stamped = { ...event, at: request.at.getTime() };
    // XState swallows what a state doesn't take; asking first makes it an answer.
    if (!from.can(stamped)) return { kind: "refused", refusal: this.#wrongState() };
    const failure = this.#try(() => {
      const [next, actions] = step(this.prepared.definition.machine, from, stamped);
      this.#accept(request, event.type, next, actions);
    });
    return failure ?? this.#answer(request);
  }

  #create(request: Request): void {
    const { machine } = this.prepared.definition;
    const input = { ...request.input, at: request.at.getTime() };
    const [first, actions] = initialTransition(machine, input);
    this.#accept(request, "create", first, actions);
  }

  /** Takes over one step. Everything that can fail comes before the first change. */
  #accept(request: Request, event: string, next: AnyMachineSnapshot, actions: Action[]): void {
    const { definition, id, work } = this.prepared;
    persist(next);
    for (const { type } of actions) {
      if (!isTimerAction(type) && !Object.hasOwn(definition.effects, type)) {
        throw new Error(`${definition.name} asks for ${type}, which has no handler`);
      }
    }
    const after = stateOf(id, next, request.at);
    const from = this.state?.path ?? null;
    if (from !== after.path) {
      const { by, at } = request;
      this.history.push({ n: this.history.length, event, from, to: after.path, by, at });
    }
    this.snapshot = next;
    this.state = after;
    this.changed = true;
    for (const action of actions) {
      if (isTimerAction(action.type)) {
        this.#changeTimer(action, request.at);
        continue;
      }
      const one: Occurrence<unknown, object> = { params: action.params, after, by: request.by };
      const all = this.effects.get(action.type) ?? [];
      all.push(one);
      this.effects.set(action.type, all);
      handlerOf(definition, action.type).fold?.(one, work);
    }
  }

  #changeTimer({ type, params }: Action, at: Date): void {
    const { id, sendId, delay, event } = timerParams(params);
    if (type === "xstate.cancel" && sendId !== undefined) {
      this.timers.cancel(sendId);
      return;
    }
    if (id === undefined || delay === undefined || !event) throw new Error("a timer needs an id and a delay");
    this.timers.set(id, event, new Date(at.getTime() + delay));
  }

  #answer(request: Request): Outcome {
    const { definition, work, answered } = this.prepared;
    if (!this.state) throw new Error("answered before it was created");
    const answer = definition.answer(this.state, { work, by: request.by });
    if (request.once) {
      const expiresAt = new Date(request.at.getTime() + KEY_LIFE_MS);
      const kept = { _id: request.once.key, requestHash: request.once.requestHash, answer, expiresAt };
      this.keys.push(kept);
      answered.set(kept._id, kept);
    }
    return { kind: "answered", answer };
  }

  /** A machine that throws changes nothing: the event fails, the actor stays where it was. */
  #try(act: () => void): Outcome | null {
    try {
      act();
      return null;
    } catch (error) {
      return { kind: "failed", error };
    }
  }

  #wrongState() {
    return refuse("invalid_state", { status: this.state?.status ?? null }).refusal;
  }
}

export type AnyHandler = EffectHandler<unknown, object, object>;

/** Which handler is a name's was settled when the definition compiled; here names are data. */
export const handlersOf = ({ effects }: AnyDefinition): Record<string, AnyHandler> => effects;

function handlerOf(definition: AnyDefinition, name: string): AnyHandler {
  const handler = handlersOf(definition)[name];
  if (!handler) throw new Error(`${definition.name} has no handler for ${name}`);
  return handler;
}

const isTimerAction = (type: string) => type === "xstate.raise" || type === "xstate.cancel";

type TimerParams = { id?: string; sendId?: string; delay?: number; event?: { type: string } };

function timerParams(params: unknown): TimerParams {
  return typeof params === "object" && params !== null ? params : {};
}
