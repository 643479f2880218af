import type { ClientSession } from "mongodb";
import { Conflict } from "../../base/failures/conflict.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { idempotencyIn } from "../../store/mongo/driver/idempotency.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import { historyIn } from "../../store/mongo/host/history.ts";
import { type OutboxDoc, outboxIn } from "../../store/mongo/host/outbox.ts";
import { type SnapshotDoc, snapshotsIn } from "../../store/mongo/host/snapshots.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/host/timers.ts";
import { notificationFactsIn } from "../../store/mongo/notifications/notification-facts.ts";
import type { ActorState } from "./actor-types.ts";
import { type AnyHandler, type BatchDecision, handlersOf } from "./batch-decision.ts";
import type { AnyDefinition } from "./definition.ts";
import type { EffectBatch } from "./effect.ts";
import { assertGuards } from "./guards.ts";
import { draftOutbox, type OutboxDraft } from "./outbox-draft.ts";
import { persistFor } from "./snapshot-codec.ts";

/** A batch with less time left than this is nearly late. */
const NEARLY_LATE_MS = 2_000;
/** A transaction gets at least this much time, even when its deadline is closer. */
const MIN_TRANSACTION_MS = 500;

/** A decided batch and the resulting snapshot; `next.version` is the version it was decided on, plus one. */
export type DecidedBatch = {
  decision: BatchDecision;
  next: SnapshotDoc;
  now: Date;
  /** When it should be written by, in the time of performance.now(). */
  deadline: number;
  /** How long this attempt may take, ms; of a shared transaction, the longest of its batches holds. */
  attemptMs: number;
};

/** A shared transaction must end by its earliest deadline, so a nearly late batch would leave the others little time. */
export const isNearDeadline = ({ deadline }: Pick<DecidedBatch, "deadline">): boolean =>
  deadline - performance.now() < NEARLY_LATE_MS;

/** The outbox rows of a commit (its own and those of other sources), and its messages to other actors. */
export type CommitOutput = { rows: OutboxDoc[]; others: OutboxDoc[]; messages: TimerDoc[] };

/** The snapshot of a decision as it is stored. Throws when it couldn't be restored later. */
export function nextSnapshot(
  decision: BatchDecision,
  before: SnapshotDoc | null,
  commits: string[],
  now: Date,
): SnapshotDoc {
  const { snapshot } = decision;
  const { definition, actor, version } = decision.prepared;
  if (!snapshot) throw new Error("nothing to write");
  return {
    _id: actor,
    machine: definition.name,
    machineVersion: definition.version,
    version: version + 1,
    snapshot: persistFor(definition, snapshot),
    commits,
    timers: decision.timers.current,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}

/**
 * Writes decided batches of different actors in one transaction: their snapshots by compare-and-set (each replaces exactly
 * the version it was decided on), and everything that the effects write. Resolves to what each batch has to publish, in the
 * order of the batches. Throws Conflict when one of them was decided on an outdated version; then nothing was written.
 */
export function createWriter(mongo: Mongo) {
  const { db, client } = mongo;
  const snapshots = snapshotsIn(db);
  const timers = timersIn(db);
  const history = historyIn(db);
  const keys = idempotencyIn(db);
  const outbox = outboxIn(db);
  const facts = notificationFactsIn(db);

  async function writeEffects(decided: DecidedBatch[], session: ClientSession): Promise<CommitOutput[]> {
    const drafts = decided.map(({ decision, next, now }) =>
      draftOutbox(decision.prepared.actor, next.version, now),
    );
    for (const [handler, batches] of effectBatchesOf(decided, drafts)) await handler.write(batches, session);
    await facts.insert(
      drafts.flatMap((draft) => draft.facts),
      session,
    );
    return drafts.map(({ rows, others, messages }) => ({ rows, others, messages }));
  }

  return async function writeAll(decided: DecidedBatch[]): Promise<CommitOutput[]> {
    const decisions = decided.map(({ decision }) => decision);
    const latest = new Date(Math.max(...decided.map(({ now }) => now.getTime())));
    const write = async (session: ClientSession) => {
      const docs = decided.map(({ next }) => next);
      if (!(await snapshots.replaceAll(docs, session))) throw new Conflict("another version is there");
      await assertGuards(db, decisions.flatMap(guardsOf), session);
      const written = await writeEffects(decided, session);
      for (const [definition, states] of statesOf(decisions)) await definition.save?.(states, session);
      await timers.change(
        decisions.map((decision) => decision.timers),
        session,
      );
      await history.insert(decided.flatMap(historyOf), session);
      await keys.keep(
        decisions.flatMap((decision) => decision.keys),
        decisions.flatMap((decision) => decision.prepared.expiredKeys),
        latest,
        session,
      );
      await timers.send(
        written.flatMap(({ messages }) => messages),
        session,
      );
      await outbox.insert(
        written.flatMap(({ rows, others }) => [...rows, ...others]),
        session,
      );
      return written;
    };
    const left = Math.min(...decided.map(({ deadline }) => deadline)) - performance.now();
    const longestMs = Math.max(...decided.map(({ attemptMs }) => attemptMs));
    const attemptMs = Math.max(MIN_TRANSACTION_MS, Math.min(longestMs, left));
    // No retries here: each batch retries by itself. Otherwise one actor's lock would keep all the others waiting.
    return inTransaction(client, write, { attemptMs, allMs: 0 });
  };
}

type AnyEffectBatch = EffectBatch<unknown, object, object>;

/** The calls of each effect, by handler: machine by machine, and within a machine in the order of its `effects`. */
function effectBatchesOf(decided: DecidedBatch[], drafts: OutboxDraft[]): Map<AnyHandler, AnyEffectBatch[]> {
  const batches = new Map<AnyHandler, AnyEffectBatch[]>();
  for (const [i, { decision, now }] of decided.entries()) {
    const { definition, id, reads } = decision.prepared;
    const outbox = drafts[i];
    if (!outbox) throw new Error("everybody has a draft");
    for (const [name, handler] of Object.entries(handlersOf(definition))) {
      const own = batches.get(handler) ?? [];
      batches.set(handler, own); // also without calls: the insertion order is the order of writing
      const calls = decision.effects.get(name);
      if (calls) own.push({ id, calls, outbox, reads, now });
    }
  }
  for (const [handler, own] of batches) if (own.length === 0) batches.delete(handler);
  return batches;
}

function statesOf(decisions: BatchDecision[]): Map<AnyDefinition, ActorState<object>[]> {
  const states = new Map<AnyDefinition, ActorState<object>[]>();
  for (const { prepared, state } of decisions) {
    if (!state) throw new Error("nothing to write");
    states.set(prepared.definition, [...(states.get(prepared.definition) ?? []), state]);
  }
  return states;
}

const guardsOf = ({ prepared: { definition, reads } }: BatchDecision) => definition.guards?.(reads) ?? [];

const historyOf = ({ decision, next }: DecidedBatch) =>
  decision.history.map((change) => ({
    _id: `${next._id}:${next.version}:${change.n}`,
    actor: next._id,
    version: next.version,
    ...change,
  }));
