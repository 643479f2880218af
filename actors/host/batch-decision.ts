import { type AnyMachineSnapshot, initialTransition } from "xstate";
import type { HistoryDoc } from "../../store/mongo/history.ts";
import type { IdempotencyDoc } from "../../store/mongo/idempotency.ts";
import type { StoredTimer } from "../../store/mongo/snapshots.ts";
import type { TimerDoc } from "../../store/mongo/timers.ts";
import type { ActorState } from "./actor-types.ts";
import { type AnyDefinition, type Refusal, refuse } from "./definition.ts";
import type { EffectCall, EffectHandler } from "./effect.ts";
import { MESSAGE } from "./outbox-draft.ts";
import type { Prepared } from "./prepared.ts";
import type { Outcome, Request } from "./request.ts";
import { SETTLE, type SettleEvent, type SettlingBatch, SettlingTurn } from "./settling.ts";
import { persist, stateOf } from "./snapshot-codec.ts";
import { step } from "./step.ts";
import { isTimerAction, TimerChanges } from "./timer-changes.ts";
import { refuseViolation } from "./unique-violation.ts";
import type { CommittedRows } from "./unpublished-commits.ts";

/** Timers of one actor that may come due one after the other before a request. */
const MAX_DUE = 16;
/** How long a key answers for its request where the definition says nothing else. */
const KEY_LIFE_MS = 24 * 3_600_000;

export type Action = { type: string; params?: unknown };

type Step = { next: AnyMachineSnapshot; actions: Action[] };

/** A batch decided in memory: one event after the other, nothing written yet. */
export class BatchDecision {
  readonly prepared: Prepared;
  readonly outcomes = new Map<Request, Outcome>();
  readonly effects = new Map<string, EffectCall<unknown, object>[]>();
  readonly timers: TimerChanges;
  readonly settling: SettlingTurn;
  readonly history: Omit<HistoryDoc, "_id" | "actor" | "version">[] = [];
  readonly keys: IdempotencyDoc[] = [];
  snapshot: AnyMachineSnapshot | null;
  state: ActorState<object> | null;
  /** False = nothing to write. */
  changed = false;
  /** What is to be published of it; null before the commit, and when only the store knows. */
  committed: CommittedRows | null = null;
  /** Other sources that have something to publish of this commit. */
  sources: string[] = [];
  /** To other actors, to be fired at once; the sweeper fires what is left. */
  messages: TimerDoc[] = [];

  constructor(prepared: Prepared, now: Date) {
    this.prepared = prepared;
    this.snapshot = prepared.snapshot;
    this.state = prepared.snapshot && stateOf(prepared.id, prepared.snapshot, now);
    this.timers = new TimerChanges(prepared.actor, prepared.stored);
    this.settling = new SettlingTurn(prepared.definition.settling, prepared.members);
  }

  /** Decides one request: an answer given before, a refusal, or a step; `violated` is known to be what its commit meets. */
  take(request: Request, violated: Refusal | null = null): void {
    const decide = () => (violated ? refuseViolation(this, request, violated) : this.#decide(request));
    this.outcomes.set(request, this.#answeredBefore(request) ?? decide());
  }

  #answeredBefore({ once }: Request): Outcome | null {
    const known = once && this.prepared.answered.get(once.key);
    if (!known) return null;
    if (known.requestHash === once.requestHash) return { kind: "answered", answer: known.answer };
    return { kind: "refused", refusal: { code: "idempotency_conflict" } };
  }

  #decide(request: Request): Outcome {
    const { definition, reads } = this.prepared;
    if (!this.snapshot || !this.state) {
      if (!request.input) return { kind: "refused", refusal: { code: "not_found" } };
      const refusal = definition.refuseCreation?.(request.input, reads);
      if (refusal) return { kind: "refused", refusal };
      const first = this.#create(request);
      if (first) return first;
      // One that comes to be late begins with what it is late for.
      if (!request.command) return this.#fireDue(request) ?? this.#answer(request);
    }
    const late = this.#fireDue(request);
    if (late) return late;
    if (request.timer) return this.#fire(request, request.timer);
    if (!request.command) return { kind: "refused", refusal: this.#wrongState() };
    return this.#command(request, request.command);
  }

  /**
   * What an actor's own timers would have done by the time of a request happens before it, whether or not they have been
   * fired: late is late. Null when nothing stands in the request's way.
   */
  #fireDue(request: Request): Outcome | null {
    for (let n = 0; n < MAX_DUE; n++) {
      const due = this.timers.firstDueBy(request.at, (timer) => !this.#isLater(timer));
      // The one that this request fires takes its own way.
      if (!due || due.timerId === request.timer?.timerId) return null;
      const { command, input, timer, at, deadline, answer } = request;
      const outcome = this.#happen(
        { command, input, timer, at, deadline, answer, by: null, once: null },
        due,
      );
      if (outcome.kind === "failed") return outcome;
    }
    return { kind: "failed", error: new Error("the actor's timers come due without end") };
  }

  #fire(request: Request, timer: NonNullable<Request["timer"]>): Outcome {
    if (!this.prepared.timers.has(timer._id) || this.timers.touches(timer.timerId)) return { kind: "stale" };
    return this.#happen(request, timer);
  }

  #isLater({ event }: Pick<StoredTimer, "event">): boolean {
    return this.state !== null && this.settling.isLater(event, this.state);
  }

  /** The event of a timer, which goes with it; one whose event fails stays, to be fired again. */
  #happen(request: Request, { timerId, event }: StoredTimer): Outcome {
    if (this.#isLater({ event })) return this.#notSettled();
    const command = event.type === SETTLE || Object.hasOwn(this.prepared.definition.commands, event.type);
    const goes = () => this.#remove(timerId);
    const outcome = command ? this.#command(request, event, goes) : this.#step(request, event, goes);
    return outcome.kind === "refused"
      ? this.dropTimer(request, { timerId, event }, outcome.refusal)
      : outcome;
  }

  #remove(timerId: string): void {
    this.timers.cancel(timerId);
    this.changed = true;
  }

  /** A timer that is refused goes, also when the state has no use for its event; of a message it is kept that it was refused. */
  dropTimer(
    request: Request,
    { timerId, event }: Pick<StoredTimer, "timerId" | "event">,
    refusal: Refusal,
  ): Outcome {
    this.#remove(timerId);
    if (timerId.startsWith(MESSAGE)) this.#keepRefusal(request, event.type, refusal.code);
    return { kind: "stale", refusal };
  }

  /** `begun` is called before the first change of a step that succeeds. */
  #command(request: Request, command: { type: string }, begun?: () => void): Outcome {
    const { definition, reads } = this.prepared;
    if (!this.state) throw new Error("a command before it was created");
    if (command.type === SETTLE) return this.#settle(request, this.state, begun);
    const { by, at, happenedAt = at } = request;
    const decision = definition.decide?.(command, { state: this.state, reads, by, at, happenedAt });
    if (decision?.ok === false) return { kind: "refused", refusal: decision.refusal };
    return this.#step(request, decision?.event ?? command, begun);
  }

  #notSettled(): Outcome {
    const { failure } = this.settling;
    return failure === undefined ? { kind: "stale" } : { kind: "failed", error: failure };
  }

  #settle(request: Request, { context }: ActorState<object>, begun?: () => void): Outcome {
    const { goesOnFrom } = request;
    if (goesOnFrom !== undefined && goesOnFrom !== this.prepared.version) return { kind: "stale" };
    const batch = this.settling.batch(context);
    if (!batch && this.settling.failure !== undefined) return this.#notSettled();
    if (!batch) return { kind: "refused", refusal: this.#wrongState() };
    const event: SettleEvent<SettlingBatch> = { type: SETTLE, batch };
    const outcome = this.#step(request, event, begun);
    if (outcome.kind === "answered") this.settling.settled = batch;
    return outcome;
  }

  #step(request: Request, event: { type: string }, begun: () => void = () => undefined): Outcome {
    const from = this.snapshot;
    if (!from) throw new Error("stepped before it was created");
    const stamped = { ...event, at: request.at.getTime() };
    // XState swallows what a state doesn't take; asking first makes it an answer.
    if (!from.can(stamped)) return { kind: "refused", refusal: this.#wrongState() };
    const tried = this.#try(() => this.#checked(step(this.prepared.definition.machine, from, stamped)));
    if ("kind" in tried) return tried;
    begun();
    this.#accept(request, event.type, tried.next, tried.actions);
    return this.#answer(request);
  }

  #create(request: Request): Outcome | null {
    const { machine } = this.prepared.definition;
    const input = { ...request.input, at: request.at.getTime() };
    const tried = this.#try(() => this.#checked(initialTransition(machine, input)));
    if ("kind" in tried) return tried;
    this.#accept(request, "create", tried.next, tried.actions);
    return null;
  }

  /** Throws for a step that couldn't be kept. */
  #checked([next, actions]: [AnyMachineSnapshot, Action[]]): Step {
    const { definition } = this.prepared;
    persist(next);
    for (const { type } of actions) {
      if (!isTimerAction(type) && !Object.hasOwn(definition.effects, type)) {
        throw new Error(`${definition.name} requests ${type}, which has no handler`);
      }
    }
    return { next, actions };
  }

  /** Takes over one step. What throws in here fails the whole batch, which is then decided one by one. */
  #accept(request: Request, event: string, next: AnyMachineSnapshot, actions: Action[]): void {
    const { definition, id, reads } = this.prepared;
    const after = stateOf(id, next, request.at);
    const from = this.state?.path ?? null;
    if (from !== after.path) {
      const { by, at, happenedAt } = request;
      const times = happenedAt ? { at, happenedAt } : { at };
      this.history.push({ n: this.history.length, event, from, to: after.path, by, ...times });
    }
    this.snapshot = next;
    this.state = after;
    this.changed = true;
    for (const action of actions) {
      if (isTimerAction(action.type)) {
        this.timers.apply(action, request.at);
        continue;
      }
      const one: EffectCall<unknown, object> = { params: action.params, after, by: request.by };
      const all = this.effects.get(action.type) ?? [];
      all.push(one);
      this.effects.set(action.type, all);
      handlerOf(definition, action.type).apply?.(one, reads);
    }
  }

  #keepRefusal({ by, at }: Request, event: string, refused: string): void {
    const to = this.state?.path ?? "";
    this.history.push({ n: this.history.length, event, from: to, to, by, at, refused });
  }

  #answer(request: Request): Outcome {
    const { definition, reads, answered } = this.prepared;
    if (!this.state) throw new Error("answered before it was created");
    const answer = definition.answer(this.state, { reads, by: request.by });
    if (request.once) {
      const expiresAt = new Date(request.at.getTime() + KEY_LIFE_MS);
      const kept = { _id: request.once.key, requestHash: request.once.requestHash, answer, expiresAt };
      this.keys.push(kept);
      answered.set(kept._id, kept);
    }
    return { kind: "answered", answer };
  }

  /** A machine that throws changes nothing: the event fails, the actor stays where it was. */
  #try(act: () => Step): Step | (Outcome & { kind: "failed" }) {
    try {
      return act();
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
