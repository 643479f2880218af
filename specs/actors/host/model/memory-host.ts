import { type ClientSession, MongoClient } from "mongodb";
import type { ActorState } from "../../../../actors/host/actor-types.ts";
import { BatchDecision, handlersOf } from "../../../../actors/host/batch-decision.ts";
import type { AnyDefinition, Refusal } from "../../../../actors/host/definition.ts";
import { draftOutbox } from "../../../../actors/host/outbox-draft.ts";
import {
  type IdempotentRequest,
  type Outcome,
  type Request,
  requestHash,
} from "../../../../actors/host/request.ts";
import { SETTLE } from "../../../../actors/host/settling.ts";
import { persist, restore, stateOf } from "../../../../actors/host/snapshot-codec.ts";
import type { PredictionCommand } from "../../../../actors/points/prediction/machine.ts";
import type { RedemptionCommand } from "../../../../actors/points/redemption/machine.ts";
import type { RewardCommand } from "../../../../actors/points/reward/machine.ts";
import type { IdempotencyDoc } from "../../../../store/mongo/driver/idempotency.ts";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../../../store/mongo/host/timers.ts";

export type MemoryRequest = {
  command: PredictionCommand | RewardCommand | RedemptionCommand | { type: typeof SETTLE } | null;
  input?: object;
  by: string | null;
  once?: IdempotentRequest;
  timer?: TimerDoc;
};

/** A kind of actor whose effects write to memory, with the results of its `prepare` and of its indexes. */
export type MemoryMachine = {
  definition: AnyDefinition;
  reads(id: string, batch: MemoryRequest[]): object;
  /** The next members to settle. */
  membersAfter(id: string, cursor: string, limit: number): unknown[];
  /** The index violation of a new actor. */
  violated(): Refusal | null;
  save(state: ActorState<object>): void;
};

/** How far a batch gets before its process dies. */
type Reach = "decided" | "committed" | "settled";

/**
 * The host without its store: the real machines, translations and batch decisions; what a commit would write goes into maps. It
 * does in memory what commit.ts does in a transaction, one batch after the other, so that a million operations take about a
 * minute.
 */
export class MemoryHost {
  readonly #machines: ReadonlyMap<string, MemoryMachine>;
  readonly #timers = new Map<string, TimerDoc>();
  readonly #session: ClientSession;
  readonly #snapshots = new Map<string, SnapshotDoc>();
  readonly #keys = new Map<string, IdempotencyDoc>();
  now: Date;

  constructor(machines: MemoryMachine[], now: Date) {
    this.#machines = new Map(machines.map((machine) => [machine.definition.name, machine]));
    this.now = now;
    // Handlers need a session, but nothing here uses it, so its client never connects.
    this.#session = new MongoClient("mongodb://localhost:1").startSession();
  }

  /** Decides the batch of an actor, "machine:id", and then its messages to itself. */
  handle(actor: string, batch: MemoryRequest[], reach: Reach = "settled"): Outcome[] {
    const [name = "", id = ""] = actor.split(":");
    const machine = this.#machines.get(name);
    if (!machine) throw new Error(`there is no machine ${name}`);
    const outcomes = this.#commit(machine, id, batch, reach !== "decided");
    while (reach === "settled" && this.#isSettling(machine, actor)) {
      this.#commit(machine, id, [{ command: { type: SETTLE }, by: null }], true);
    }
    return outcomes;
  }

  /** Fires all due timers once. */
  sweep(): void {
    for (const timer of [...this.#timers.values()].filter(({ dueAt }) => dueAt <= this.now)) {
      const command = timer.event.type === SETTLE ? ({ type: SETTLE } as const) : null;
      this.handle(timer.actor, [{ command, by: null, timer }]);
    }
  }

  #commit(machine: MemoryMachine, id: string, batch: MemoryRequest[], writes: boolean): Outcome[] {
    const { definition } = machine;
    const actor = `${definition.name}:${id}`;
    const doc = this.#snapshots.get(actor);
    const requests = batch.map((request) => this.#request(request));
    const reads = machine.reads(id, batch);
    const known = requests.flatMap(({ once }) => (once && this.#keys.get(once.key)) || []);
    const own = [...this.#timers.values()].filter((timer) => timer.actor === actor);
    const isToSettle =
      this.#isSettling(machine, actor) && batch.some(({ command }) => command?.type === SETTLE);
    const snapshot = doc ? restore(definition, doc) : null;
    const prepared = {
      definition,
      actor,
      id,
      version: doc?.version ?? 0,
      snapshot,
      stored: own.map(({ timerId, event, dueAt }) => ({ timerId, event, dueAt })),
      timers: new Set(own.map((timer) => timer._id)),
      answered: new Map(known.filter(({ expiresAt }) => expiresAt > this.now).map((key) => [key._id, key])),
      expiredKeys: known.filter(({ expiresAt }) => expiresAt <= this.now).map((key) => key._id),
      reads,
      members: { members: isToSettle && snapshot ? membersOf(machine, id, snapshot.context) : null },
    };
    const decision = new BatchDecision(prepared, this.now);
    const violated = doc ? null : machine.violated();
    for (const request of requests) decision.take(request, request.input ? violated : null);
    if (decision.changed && writes) this.#write(machine, decision, reads);
    return requests.map((request) => decision.outcomes.get(request) ?? { kind: "stale" });
  }

  #isSettling({ definition }: MemoryMachine, actor: string): boolean {
    const doc = this.#snapshots.get(actor);
    if (!doc || !definition.settling) return false;
    const { path } = stateOf(actor, restore(definition, doc), this.now);
    return definition.settling.states.includes(path);
  }

  #request({ command, input, by, once, timer }: MemoryRequest): Request {
    const key = once ? { key: once.key, requestHash: requestHash(once.request) } : null;
    const rest = { by, at: this.now, deadline: Number.POSITIVE_INFINITY, once: key, answer: () => undefined };
    return { command, input: input ?? null, timer: timer ?? null, ...rest };
  }

  #write({ definition, save }: MemoryMachine, decision: BatchDecision, reads: object): void {
    const { snapshot, state, prepared } = decision;
    if (!snapshot || !state) throw new Error("nothing to write");
    const { actor, id } = prepared;
    const { name: machine, version: machineVersion } = definition;
    const version = prepared.version + 1;
    const stamps = { createdAt: this.now, updatedAt: this.now };
    const stored = structuredClone(persist(snapshot));
    const doc = { _id: actor, machine, machineVersion, version, snapshot: stored, commits: [], ...stamps };
    this.#snapshots.set(actor, doc);
    const outbox = draftOutbox(id, version, this.now);
    for (const [effect, handler] of Object.entries(handlersOf(definition))) {
      const calls = decision.effects.get(effect);
      if (calls) void handler.write([{ id, calls, outbox, reads, now: this.now }], this.#session);
    }
    save(stateOf(id, restore(definition, doc), this.now));
    for (const [key, timer] of this.#timers) {
      if (timer.actor === actor && decision.timers.remove.includes(timer.timerId)) this.#timers.delete(key);
    }
    for (const timer of decision.timers.add) this.#timers.set(timer._id, timer);
    for (const key of decision.keys) this.#keys.set(key._id, structuredClone(key));
  }
}

function membersOf({ definition, membersAfter }: MemoryMachine, id: string, context: object): unknown[] {
  const { settling } = definition;
  return settling ? membersAfter(id, settling.progress(context).cursor, settling.batchSize) : [];
}
