import { type AnyMachineSnapshot, initialTransition } from "xstate";
import type { IdempotencyDoc } from "../../store/mongo/driver/idempotency.ts";
import type { HistoryDoc } from "../../store/mongo/host/history.ts";
import type { StoredTimer } from "../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../store/mongo/host/timers.ts";
import type { ActorState } from "./actor-types.ts";
import { type AnyDefinition, type Refusal, refuse } from "./definition.ts";
import type { EffectCall, EffectHandler } from "./effect.ts";
import { IDEMPOTENCY_TTL_MS } from "./keyed-requests.ts";
import { MESSAGE } from "./outbox-draft.ts";
import type { Prepared } from "./prepared.ts";
import type { Outcome, Request } from "./request.ts";
import { SETTLE, type SettleEvent, type SettlingBatch, SettlingTurn } from "./settling.ts";
import { persist, stateOf } from "./snapshot-codec.ts";
import { isTimerAction, TimerChanges } from "./timer-changes.ts";
import { transition } from "./transition.ts";
import { refuseViolation } from "./unique-violation.ts";
import type { CommittedRows } from "./unpublished-commits.ts";

/** Timers of one actor that may fire one after the other before a request; more count as an endless loop. */
const MAX_DUE = 16;

type Action = { type: string; params?: unknown };

type Step = { next: AnyMachineSnapshot; actions: Action[] };

/** A batch decided in memory, one event after the other; nothing is written yet. */
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
  /** The rows to publish; null before the commit, and when only the store knows them. */
  committed: CommittedRows | null = null;
  /** Other sources with rows to publish from this commit. */
  sources: string[] = [];
  /** Messages to other actors, to be fired at once; the sweeper fires the remaining ones. */
  messages: TimerDoc[] = [];

  constructor(prepared: Prepared, now: Date) {
    this.prepared = prepared;
    this.snapshot = prepared.snapshot;
    this.state = prepared.snapshot && stateOf(prepared.id, prepared.snapshot, now);
    this.timers = new TimerChanges(prepared.actor, prepared.stored);
    this.settling = new SettlingTurn(prepared.definition.settling, prepared.members);
  }

  /** Decides one request: a replayed answer, a refusal, or a step. `violated`: the refusal, when its commit is known to fail. */
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
      // An actor that is created late first fires the timers that are already due.
      if (!request.command) return this.#fireDue(request) ?? this.#answer(request);
    }
    const late = this.#fireDue(request);
    if (late) return late;
    if (request.timer) return this.#fire(request, request.timer);
    if (!request.command) return { kind: "refused", refusal: this.#wrongState() };
    return this.#command(request, request.command);
  }

  /**
   * Fires the actor's own timers that were due at the time of the request, before the request, even when the sweeper hasn't
   * fired them yet. So a request that comes too late is always handled as too late. Null when the request may go on.
   */
  #fireDue(request: Request): Outcome | null {
    for (let n = 0; n < MAX_DUE; n++) {
      const due = this.timers.firstDueBy(request.at, (timer) => !this.#isLater(timer));
      // The timer that this request itself fires is handled by the caller.
      if (!due || due.timerId === request.timer?.timerId) return null;
      const { command, input, timer, at, deadline, answer } = request;
      const outcome = this.#applyTimer(
        { command, input, timer, at, deadline, answer, by: null, once: null },
        due,
      );
      if (outcome.kind === "failed") return outcome;
    }
    return { kind: "failed", error: new Error("the actor's timers come due without end") };
  }

  #fire(request: Request, timer: NonNullable<Request["timer"]>): Outcome {
    if (!this.prepared.timers.has(timer._id) || this.timers.touches(timer.timerId)) return { kind: "stale" };
    return this.#applyTimer(request, timer);
  }

  #isLater({ event }: Pick<StoredTimer, "event">): boolean {
    return this.state !== null && this.settling.isLater(event, this.state);
  }

  /** Applies a timer's event and removes the timer. A timer whose event fails stays, to be fired again. */
  #applyTimer(request: Request, { timerId, event }: StoredTimer): Outcome {
    if (this.#isLater({ event })) return this.#notSettled();
    const command = event.type === SETTLE || Object.hasOwn(this.prepared.definition.commands, event.type);
    const onApplied = () => this.#remove(timerId);
    const outcome = command
      ? this.#command(request, event, onApplied)
      : this.#transition(request, event, onApplied);
    return outcome.kind === "refused"
      ? this.dropTimer(request, { timerId, event }, outcome.refusal)
      : outcome;
  }

  #remove(timerId: string): void {
    this.timers.cancel(timerId);
    this.changed = true;
  }

  /** Removes a timer that was refused, by its state too. The refusal of a message is also recorded in the history. */
  dropTimer(
    request: Request,
    { timerId, event }: Pick<StoredTimer, "timerId" | "event">,
    refusal: Refusal,
  ): Outcome {
    this.#remove(timerId);
    if (timerId.startsWith(MESSAGE)) this.#recordRefusal(request, event.type, refusal.code);
    return { kind: "stale", refusal };
  }

  /** `onApplied` is called before the first change of a step that succeeds. */
  #command(request: Request, command: { type: string }, onApplied?: () => void): Outcome {
    const { definition, reads } = this.prepared;
    if (!this.state) throw new Error("a command before it was created");
    if (command.type === SETTLE) return this.#settle(request, this.state, onApplied);
    const { by, at, happenedAt = at } = request;
    const decision = definition.decide?.(command, { state: this.state, reads, by, at, happenedAt });
    if (decision?.ok === false) return { kind: "refused", refusal: decision.refusal };
    return this.#transition(request, decision?.event ?? command, onApplied);
  }

  #notSettled(): Outcome {
    const { failure } = this.settling;
    return failure === undefined ? { kind: "stale" } : { kind: "failed", error: failure };
  }

  #settle(request: Request, { context }: ActorState<object>, onApplied?: () => void): Outcome {
    const { expectedVersion } = request;
    if (expectedVersion !== undefined && expectedVersion !== this.prepared.version) return { kind: "stale" };
    const batch = this.settling.batch(context);
    if (!batch && this.settling.failure !== undefined) return this.#notSettled();
    if (!batch) return { kind: "refused", refusal: this.#wrongState() };
    const event: SettleEvent<SettlingBatch> = { type: SETTLE, batch };
    const outcome = this.#transition(request, event, onApplied);
    if (outcome.kind === "answered") this.settling.settled = batch;
    return outcome;
  }

  #transition(request: Request, event: { type: string }, onApplied: () => void = () => undefined): Outcome {
    const from = this.snapshot;
    if (!from) throw new Error("stepped before it was created");
    const stamped = { ...event, at: request.at.getTime() };
    // XState silently ignores events that a state doesn't handle; checking first turns them into a refusal.
    if (!from.can(stamped)) return { kind: "refused", refusal: this.#wrongState() };
    const tried = this.#try(() => this.#checked(transition(this.prepared.definition.machine, from, stamped)));
    if ("kind" in tried) return tried;
    onApplied();
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

  /** Throws for a step that couldn't be stored, or that calls an effect without a handler. */
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

  /** Applies one step. An exception here fails the whole batch, whose requests are then decided one by one. */
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
      const call: EffectCall<unknown, object> = { params: action.params, after, by: request.by };
      const all = this.effects.get(action.type) ?? [];
      all.push(call);
      this.effects.set(action.type, all);
      handlerOf(definition, action.type).apply?.(call, reads);
    }
  }

  #recordRefusal({ by, at }: Request, event: string, refused: string): void {
    const to = this.state?.path ?? "";
    this.history.push({ n: this.history.length, event, from: to, to, by, at, refused });
  }

  #answer(request: Request): Outcome {
    const { definition, reads, answered } = this.prepared;
    if (!this.state) throw new Error("answered before it was created");
    const answer = definition.answer(this.state, { reads, by: request.by });
    if (request.once) {
      const expiresAt = new Date(request.at.getTime() + IDEMPOTENCY_TTL_MS);
      const record = { _id: request.once.key, requestHash: request.once.requestHash, answer, expiresAt };
      this.keys.push(record);
      answered.set(record._id, record);
    }
    return { kind: "answered", answer };
  }

  /** When the machine throws, only the event fails: the actor's state doesn't change. */
  #try(run: () => Step): Step | (Outcome & { kind: "failed" }) {
    try {
      return run();
    } catch (error) {
      return { kind: "failed", error };
    }
  }

  #wrongState() {
    return refuse("invalid_state", { status: this.state?.status ?? null }).refusal;
  }
}

export type AnyHandler = EffectHandler<unknown, object, object>;

/** The compiler has checked each effect's handler in the definition; here effects are looked up by name. */
export const handlersOf = ({ effects }: AnyDefinition): Record<string, AnyHandler> => effects;

function handlerOf(definition: AnyDefinition, name: string): AnyHandler {
  const handler = handlersOf(definition)[name];
  if (!handler) throw new Error(`${definition.name} has no handler for ${name}`);
  return handler;
}
