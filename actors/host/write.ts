import type { ClientSession } from "mongodb";
import type { Mongo } from "../../store/mongo/connect.ts";
import { historyIn } from "../../store/mongo/history.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { type OutboxDoc, outboxIn } from "../../store/mongo/outbox.ts";
import { type SnapshotDoc, snapshotsIn } from "../../store/mongo/snapshots.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { Conflict } from "./conflict.ts";
import type { ActorState, AnyDefinition } from "./definition.ts";
import type { Portion } from "./effect.ts";
import { persistFor } from "./envelope.ts";
import { type AnyHandler, type Fold, handlersOf } from "./fold.ts";
import { holdGuards } from "./guards.ts";
import { draftOutbox, type OutboxDraft } from "./outbox-draft.ts";

const TRANSACTION_MS = 5_000;
/** A batch with less time than this is nearly late, and what it gets at least. */
const NEARLY_LATE_MS = 2_000;
const LEAST_TRANSACTION_MS = 500;

/** A decided batch and the snapshot that it leads to; `next.version` follows the one it was decided on. */
export type Decided = {
  fold: Fold;
  next: SnapshotDoc;
  now: Date;
  /** By which it should be written, of performance.now(). */
  deadline: number;
};

/** A transaction ends by the least deadline in it, so with this one there is little time for others. */
export const isNearlyLate = ({ deadline }: Pick<Decided, "deadline">): boolean =>
  deadline - performance.now() < NEARLY_LATE_MS;

/** What a commit has to tell: to the world, and to other actors. */
export type Written = { rows: OutboxDoc[]; others: OutboxDoc[]; messages: TimerDoc[] };

/** The snapshot of a fold as it is stored. Throws when it couldn't be loaded again. */
export function nextSnapshot(
  fold: Fold,
  before: SnapshotDoc | null,
  commits: string[],
  now: Date,
): SnapshotDoc {
  const { snapshot } = fold;
  const { definition, actor, version } = fold.prepared;
  if (!snapshot) throw new Error("nothing to write");
  return {
    _id: actor,
    machine: definition.name,
    machineVersion: definition.version,
    version: version + 1,
    snapshot: persistFor(definition, snapshot),
    commits,
    timers: fold.timers.current,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}

/**
 * Writes decided batches of different actors in one transaction: their snapshots, each in the place of exactly the version
 * it was decided on, with everything that the effects ask for. Resolves to what each has to tell, in its order.
 * Throws Conflict when one of them was decided on an older version; then nothing of any happened.
 */
export function createWriter(mongo: Mongo) {
  const { db, client } = mongo;
  const snapshots = snapshotsIn(db);
  const timers = timersIn(db);
  const history = historyIn(db);
  const keys = idempotencyIn(db);
  const outbox = outboxIn(db);

  /** Resolves to what each has to tell. */
  async function writeEffects(decided: Decided[], session: ClientSession): Promise<Written[]> {
    const drafts = decided.map(({ fold, next, now }) => draftOutbox(fold.prepared.actor, next.version, now));
    for (const [handler, portions] of portionsOf(decided, drafts)) await handler.write(portions, session);
    return drafts.map(({ rows, others, messages }) => ({ rows, others, messages }));
  }

  return async function writeAll(decided: Decided[]): Promise<Written[]> {
    const folds = decided.map(({ fold }) => fold);
    const latest = new Date(Math.max(...decided.map(({ now }) => now.getTime())));
    const write = async (session: ClientSession) => {
      const docs = decided.map(({ next }) => next);
      if (!(await snapshots.replaceAll(docs, session))) throw new Conflict("another version is there");
      await holdGuards(db, folds.flatMap(guardsOf), session);
      const written = await writeEffects(decided, session);
      for (const [definition, states] of statesOf(folds)) await definition.save(states, session);
      await timers.change(
        folds.map((fold) => fold.timers),
        session,
      );
      await history.insert(decided.flatMap(historyOf), session);
      await keys.keep(
        folds.flatMap((fold) => fold.keys),
        folds.flatMap((fold) => fold.prepared.expiredKeys),
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
    const attemptMs = Math.max(LEAST_TRANSACTION_MS, Math.min(TRANSACTION_MS, left));
    // Tried again by each batch itself: here one actor's lock would keep all the others waiting.
    return inTransaction(client, write, { attemptMs, allMs: 0 });
  };
}

type AnyPortion = Portion<unknown, object, object>;

/** What is asked of each effect, machine by machine; of one machine in the order in which it names its effects. */
function portionsOf(decided: Decided[], drafts: OutboxDraft[]): Map<AnyHandler, AnyPortion[]> {
  const portions = new Map<AnyHandler, AnyPortion[]>();
  for (const [i, { fold, now }] of decided.entries()) {
    const { definition, id, work } = fold.prepared;
    const outbox = drafts[i];
    if (!outbox) throw new Error("everybody has a draft");
    for (const [name, handler] of Object.entries(handlersOf(definition))) {
      const asked = portions.get(handler) ?? [];
      portions.set(handler, asked); // also when nothing is asked of it: this is what keeps the order
      const all = fold.effects.get(name);
      if (all) asked.push({ id, all, outbox, work, now });
    }
  }
  for (const [handler, asked] of portions) if (asked.length === 0) portions.delete(handler);
  return portions;
}

function statesOf(folds: Fold[]): Map<AnyDefinition, ActorState<object>[]> {
  const states = new Map<AnyDefinition, ActorState<object>[]>();
  for (const { prepared, state } of folds) {
    if (!state) throw new Error("nothing to write");
    states.set(prepared.definition, [...(states.get(prepared.definition) ?? []), state]);
  }
  return states;
}

const guardsOf = ({ prepared: { definition, work } }: Fold) => definition.guards?.(work) ?? [];

const historyOf = ({ fold, next }: Decided) =>
  fold.history.map((change) => ({
    _id: `${next._id}:${next.version}:${change.n}`,
    actor: next._id,
    version: next.version,
    ...change,
  }));
