import { type ClientSession, MongoClient } from "mongodb";
import type { ActorState } from "../../../actors/host/actor-types.ts";
import { BatchDecision, handlersOf } from "../../../actors/host/batch-decision.ts";
import { draftOutbox } from "../../../actors/host/outbox-draft.ts";
import { type Once, type Outcome, type Request, requestHash } from "../../../actors/host/request.ts";
import { SETTLE } from "../../../actors/host/settling.ts";
import { persist, restore, stateOf } from "../../../actors/host/snapshot-codec.ts";
import { type PredictionDefinition, predictionDefinition } from "../../../actors/prediction/definition.ts";
import type { PredictionReads } from "../../../actors/prediction/effects.ts";
import type {
  PredictionCommand,
  PredictionContext,
  PredictionInput,
} from "../../../actors/prediction/machine.ts";
import type { BetDoc } from "../../../store/mongo/bets.ts";
import type { IdempotencyDoc } from "../../../store/mongo/idempotency.ts";
import type { SnapshotDoc } from "../../../store/mongo/snapshots.ts";
import type { TimerDoc } from "../../../store/mongo/timers.ts";
import { type Memory, memoryEffects } from "./memory.ts";

export type MemoryRequest = {
  command: PredictionCommand | { type: "settle" } | null;
  input?: PredictionInput;
  by: string | null;
  once?: Once;
  timer?: TimerDoc;
};

/**
 * The host without its store: the real machine, translation and batch decision decide; what a commit would write goes into maps.
 * Does in memory what commit.ts does in a transaction, one batch after the other, so that a million operations are
 * a matter of a minute.
 */
export class MemoryHost {
  readonly memory: Memory;
  readonly timers = new Map<string, TimerDoc>();
  readonly #definition: PredictionDefinition;
  readonly #session: ClientSession;
  readonly #snapshots = new Map<string, SnapshotDoc>();
  readonly #keys = new Map<string, IdempotencyDoc>();
  now: Date;

  constructor(memory: Memory, now: Date) {
    this.memory = memory;
    this.now = now;
    // A definition wants a database. Nothing here ever asks it for anything, so the client never connects.
    const client = new MongoClient("mongodb://localhost:1");
    this.#session = client.startSession();
    const definition = predictionDefinition(client.db("none"));
    this.#definition = { ...definition, effects: memoryEffects(definition.effects, memory) };
  }

  /** Decides the batch, and then whatever the actor says to itself. */
  tell(id: string, batch: MemoryRequest[]): Outcome[] {
    const outcomes = this.#commit(id, batch);
    for (;;) {
      const doc = this.#snapshots.get(id);
      if (!doc || !this.#isSettling(this.#stateOf(id, doc))) return outcomes;
      this.#commit(id, [{ command: { type: SETTLE }, by: null }]);
    }
  }

  /** Fires once what is due by now. */
  sweep(): void {
    for (const timer of [...this.timers.values()].filter(({ dueAt }) => dueAt <= this.now)) {
      const command = timer.event.type === SETTLE ? { type: SETTLE } : null;
      this.tell(timer.actor, [{ command, by: null, timer }]);
    }
  }

  #commit(id: string, batch: MemoryRequest[]): Outcome[] {
    const doc = this.#snapshots.get(id);
    const requests = batch.map((request) => this.#request(request));
    const reads = this.memory.reads(id, batch);
    const state = doc && this.#stateOf(id, doc);
    const isToSettle =
      state && this.#isSettling(state) && batch.some(({ command }) => command?.type === SETTLE);
    const known = requests.flatMap(({ once }) => (once && this.#keys.get(once.key)) || []);
    const own = [...this.timers.values()].filter(({ actor }) => actor === id);
    const prepared = {
      definition: this.#definition,
      actor: id,
      id,
      version: doc?.version ?? 0,
      snapshot: doc ? restore(this.#definition, doc) : null,
      stored: own.map(({ timerId, event, dueAt }) => ({ timerId, event, dueAt })),
      timers: new Set(own.map((timer) => timer._id)),
      answered: new Map(known.filter(({ expiresAt }) => expiresAt > this.now).map((key) => [key._id, key])),
      expiredKeys: known.filter(({ expiresAt }) => expiresAt <= this.now).map((key) => key._id),
      reads,
      members: { members: isToSettle ? this.#betsAfter(id, state.context.settled.cursor) : null },
    };
    const decision = new BatchDecision(prepared, this.now);
    // The store's index lets a channel have one.
    const violated = !doc && this.memory.hasOpen() ? ({ code: "prediction_open" } as const) : null;
    for (const request of requests) decision.take(request, request.input ? violated : null);
    if (decision.changed) this.#write(id, decision, reads);
    return requests.map((request) => decision.outcomes.get(request) ?? { kind: "stale" });
  }

  #isSettling({ path }: ActorState<PredictionContext>): boolean {
    return this.#definition.settling?.states.includes(path) ?? false;
  }

  #betsAfter(id: string, cursor: string): BetDoc[] {
    return this.memory.betsAfter(id, cursor, this.#definition.settling?.batchSize ?? 0);
  }

  #request({ command, input, by, once, timer }: MemoryRequest): Request {
    const key = once ? { key: once.key, requestHash: requestHash(once.request) } : null;
    const rest = { by, at: this.now, deadline: Number.POSITIVE_INFINITY, once: key, answer: () => undefined };
    return { command, input: input ?? null, timer: timer ?? null, ...rest };
  }

  #write(id: string, decision: BatchDecision, reads: PredictionReads): void {
    const { snapshot, state } = decision;
    if (!snapshot || !state) throw new Error("nothing to write");
    const { name: machine, version: machineVersion } = this.#definition;
    const version = decision.prepared.version + 1;
    const stamps = { createdAt: this.now, updatedAt: this.now };
    const stored = structuredClone(persist(snapshot));
    const doc = {
      _id: `${machine}:${id}`,
      machine,
      machineVersion,
      version,
      snapshot: stored,
      commits: [],
      ...stamps,
    };
    this.#snapshots.set(id, doc);
    const outbox = draftOutbox(id, version, this.now);
    for (const [effect, handler] of Object.entries(handlersOf(this.#definition))) {
      const calls = decision.effects.get(effect);
      if (calls) void handler.write([{ id, calls, outbox, reads, now: this.now }], this.#session);
    }
    this.memory.save(this.#stateOf(id, doc));
    for (const [key, timer] of this.timers) {
      if (timer.actor === id && decision.timers.remove.includes(timer.timerId)) this.timers.delete(key);
    }
    for (const timer of decision.timers.add) this.timers.set(timer._id, timer);
    for (const key of decision.keys) this.#keys.set(key._id, structuredClone(key));
  }

  #stateOf(id: string, doc: SnapshotDoc): ActorState<PredictionContext> {
    // The context of this machine's own snapshots.
    return stateOf(id, restore(this.#definition, doc), this.now) as ActorState<PredictionContext>;
  }
}
