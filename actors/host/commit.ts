import { setTimeout as pause } from "node:timers/promises";
import type { AnyMachineSnapshot } from "xstate";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { within } from "../../store/deadline.ts";
import { isMongoUnavailable, isTransient, UnknownOutcome } from "../../store/failures/mongo.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { historyIn } from "../../store/mongo/history.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { type SnapshotDoc, type StoredTimer, snapshotsIn } from "../../store/mongo/snapshots.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import type { FairLock } from "../../store/redis/fair-lock.ts";
import { BatchDecision } from "./batch-decision.ts";
import { Conflict, isWriteConflict } from "./conflict.ts";
import { ContendedActors } from "./contended-actors.ts";
import type { AnyDefinition, Refusal } from "./definition.ts";
import { GroupCommit } from "./group-commit.ts";
import { MemberPrefetch } from "./member-prefetch.ts";
import type { HostMetrics } from "./metrics.ts";
import { isOutdated, rearm } from "./rearm.ts";
import type { Request } from "./request.ts";
import { type MembersRead, NO_MEMBERS, SETTLE } from "./settling.ts";
import { SnapshotCache } from "./snapshot-cache.ts";
import { pathOf, restore } from "./snapshot-codec.ts";
import { hasFiredBefore, refusalFor } from "./unique-violation.ts";
import { createWriter, isNearlyLate, nextSnapshot } from "./write.ts";

const MAX_ATTEMPTS = 64;
/** Transactions under way before small batches of different actors share one, and how many then may. */
const GROUPS = 2;
const ACTORS_A_GROUP = 64;
/** Transactions of large batches under way, and of actors that keep others back. */
const LARGE_AT_ONCE = 4;
const EXCLUSIVE_AT_ONCE = 16;
/** A batch with more requests, or other rows to write, is a transaction's worth of work by itself. */
const LARGE = 32;
/** For so long a batch waits for others to be written; with a transaction's time after it, that is within the deadline. */
const PATIENCE_MS = 3_000;
/** Commits that a snapshot remembers; a process has one batch of an actor under way at a time. */
const REMEMBERED_COMMITS = 16;
/** Other requests of an actor don't wait longer for the members that it settles. */
const MEMBERS_MS = 2_000;

/** A batch to decide. */
export type Batch = { definition: AnyDefinition; actor: string; id: string; requests: Request[] };

/** A commit that was begun; while `isOpen` it isn't known whether it happened. */
type Tried = { decision: BatchDecision; isOpen: boolean };

/**
 * One go at a batch; `deadline` is that of all of them, of performance.now(). `violated`: the last one, of the batch's one
 * request, met a unique index that the definition names.
 */
type Attempt = { batch: Batch; tried: Map<string, Tried>; deadline: number; violated: Refusal | null };

export type CommitDeps = { mongo: Mongo; lock: FairLock; clock: Clock; log: Log; metrics: HostMetrics };

/**
 * How a batch becomes durable:
 * 1. prepare: load the snapshot, or take it as this process left it; then read what the batch needs, one read a collection;
 * 2. decide: decide every request in memory, in order;
 * 3. write: one transaction that replaces exactly the version it was decided on, with everything the effects ask for;
 *    when many actors write at the same time, small batches of several share one (group-commit.ts);
 * 4. on a conflict, or when the store can't say what happened, begin again at 1: the snapshot names the commits that
 *    made it, so an attempt that did happen is found and its decisions stand.
 * Nothing is answered before the commit. Returns the decisions that hold.
 */
export function createCommitter({ mongo, lock, clock, log, metrics }: CommitDeps) {
  const snapshotCache = new SnapshotCache(clock);
  const snapshots = snapshotsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  const history = historyIn(mongo.db);
  const writeAll = createWriter(mongo);
  const writing = { run: writeAll, patienceMs: PATIENCE_MS, late: unknown };
  const large = new GroupCommit({ ...writing, atOnce: LARGE_AT_ONCE, most: 1, single: null });
  const exclusive = new GroupCommit({ ...writing, atOnce: EXCLUSIVE_AT_ONCE, most: 1, single: null });
  const shared = new GroupCommit({
    ...writing,
    ...{ atOnce: GROUPS, most: ACTORS_A_GROUP, isHurried: isNearlyLate },
    single: { commit: exclusive, isWorthTrying: (err) => isTransient(err) || !isMongoUnavailable(err) },
  });
  const contended = new ContendedActors();
  const prefetch = new MemberPrefetch();

  /**
   * After a violation as it is now, not as a majority has it yet: what violates may be an earlier commit of the same
   * request, and then its key is beside it.
   */
  const keysOf = (ids: string[], isViolated: boolean) =>
    isViolated ? inTransaction(mongo.client, (session) => keys.findMany(ids, session)) : keys.findMany(ids);

  async function prepare(
    { batch, violated }: Attempt,
    doc: SnapshotDoc | null,
    now: Date,
  ): Promise<BatchDecision> {
    const { definition, actor, id, requests } = batch;
    const snapshot = doc && restore(definition, doc);
    const keyIds = requests.flatMap(({ once }) => (once ? [once.key] : []));
    const timerIds = requests.flatMap(({ timer }) => (timer ? [timer._id] : []));
    const stored = doc ? (doc.timers ?? (await timers.ofActor(actor)).map(storedTimer)) : [];
    // Due timers happen before what comes after them (batch-decision.ts), and may need what commands need.
    const due = stored.filter(
      ({ dueAt, event }) => dueAt <= now && Object.hasOwn(definition.commands, event.type),
    );
    const pending = [...due.map(({ event }) => ({ command: event, input: null, by: null })), ...requests];
    const isToSettle =
      requests.some(({ command, timer }) => (timer?.event ?? command)?.type === SETTLE) ||
      stored.some(({ dueAt, event }) => dueAt <= now && event.type === SETTLE);
    const [reads, members, known, existing] = await Promise.all([
      definition.prepare({ id, context: snapshot?.context ?? null, pending, now }),
      isToSettle && snapshot ? membersOf(batch, snapshot) : NO_MEMBERS,
      keyIds.length > 0 ? keysOf(keyIds, violated !== null) : [],
      timerIds.length > 0 ? timers.findMany(timerIds) : [],
    ]);
    const prepared = {
      definition,
      actor,
      id,
      version: doc?.version ?? 0,
      snapshot,
      stored,
      timers: new Set(existing.map((timer) => timer._id)),
      answered: new Map(known.filter(({ expiresAt }) => expiresAt > now).map((key) => [key._id, key])),
      expiredKeys: known.filter(({ expiresAt }) => expiresAt <= now).map((key) => key._id),
      reads,
      members,
    };
    const decision = new BatchDecision(prepared, now);
    if (doc && isOutdated(doc, definition.version)) await rearm(decision, now, history.lately);
    return decision;
  }

  /** None while the actor isn't settling: until then they may still change. A failure to read them is the settling's alone. */
  async function membersOf(
    { definition, actor, id }: Batch,
    snapshot: AnyMachineSnapshot,
  ): Promise<MembersRead> {
    const { settling } = definition;
    if (!settling?.states.includes(pathOf(snapshot.value))) return NO_MEMBERS;
    const { cursor } = settling.progress(snapshot.context);
    try {
      const reading = prefetch.take(settling, { actor, id }, cursor);
      return { members: await within(reading, performance.now() + MEMBERS_MS, unknown) };
    } catch (failure) {
      return { members: null, failure };
    }
  }

  /** Decides the batch on that snapshot and writes what came of it. */
  async function decide(attempt: Attempt, doc: SnapshotDoc | null): Promise<BatchDecision> {
    const { batch, tried, deadline, violated } = attempt;
    const now = new Date(clock.now());
    const decision = await within(prepare(attempt, doc, now), deadline, unknown);
    for (const request of batch.requests) decision.take(request, violated);
    if (!decision.changed) return decision;

    const commitId = newId();
    const mine = { decision, isOpen: true };
    tried.set(commitId, mine);
    try {
      const commits = [...(doc?.commits ?? []), commitId].slice(-REMEMBERED_COMMITS);
      const decided = { decision, next: nextSnapshot(decision, doc, commits, now), now, deadline };
      const { settled } = decision.settling;
      const { settling } = batch.definition;
      if (settling && settled && !settled.last) prefetch.begin(settling, batch, settled.to.cursor);
      const extent = batch.requests.length + (settled?.members.length ?? 0);
      const path = contended.has(batch.actor) ? exclusive : extent > LARGE ? large : shared;
      const { rows, others, messages } = await path.do(decided);
      snapshotCache.committed(decided.next);
      decision.committed = { version: decided.next.version, rows };
      decision.sources = [...new Set(others.map((row) => row.actor))];
      decision.messages = messages;
    } catch (err) {
      snapshotCache.forget(batch.actor);
      mine.isOpen = err instanceof UnknownOutcome;
      // It failed by itself, also when it shared a transaction before.
      if (isTransient(err)) contended.add(batch.actor);
      throw err;
    }
    return decision;
  }

  /** One attempt: the decisions that hold. */
  async function attempt(one: Attempt): Promise<BatchDecision> {
    const { batch, tried, deadline } = one;
    const remembered = tried.size === 0 ? snapshotCache.docOf(batch.actor) : null;
    if (remembered) {
      const decision = await decide(one, remembered);
      // What was committed was decided on the newest snapshot; refusals alone may have been decided on an old one.
      if (decision.changed) return decision;
    }
    const doc = await within(snapshots.find(batch.actor), deadline, unknown);
    const landed = doc?.commits.find((commit) => tried.has(commit));
    const done = landed !== undefined && tried.get(landed);
    if (done) return done.decision;
    if (doc && isForgotten(doc, tried)) throw unknown();
    if (doc) snapshotCache.loaded(doc);
    return decide(one, doc);
  }

  const inTurn = (one: Attempt): Promise<BatchDecision> =>
    snapshotCache.isShared(one.batch.actor)
      ? lock.within(one.batch.actor, one.deadline, () => attempt(one))
      : attempt(one);

  return async function commit(batch: Batch): Promise<BatchDecision> {
    const tried = new Map<string, Tried>();
    const begun = performance.now();
    // Each request is answered by its own; nothing of the batch is written after the last.
    const deadline = Math.max(...batch.requests.map((request) => request.deadline));
    let last: unknown;
    let violated: Refusal | null = null;
    for (let n = 0; n < MAX_ATTEMPTS && performance.now() < deadline; n++) {
      try {
        const decision = await inTurn({ batch, tried, deadline, violated });
        if (decision.changed)
          metrics.commit((performance.now() - begun) / 1_000, { machine: batch.definition.name });
        return decision;
      } catch (err) {
        last = err;
        if (err instanceof Conflict) snapshotCache.collided(batch.actor);
        // Batches that shared a transaction were tried one by one before: this one failed by itself.
        const refusal: Refusal | null = violated ? null : refusalFor(batch.definition, err);
        const [first, ...others] = batch.requests;
        if (refusal && first && others.length === 0) {
          // Whichever it was: the sweeper fires the timer alone.
          const failed = [...tried.values()].at(-1)?.decision;
          if (failed && hasFiredBefore(failed, first)) throw unknown(err);
          violated = refusal;
          continue;
        }
        // Of several the host decides one by one.
        if (refusal || !mayTryAgain(err)) {
          if (![...tried.values()].some(({ isOpen }) => isOpen)) throw err;
          break;
        }
        metrics.conflicts(1, { machine: batch.definition.name });
        log.debug({ err, actor: batch.actor, attempt: n }, "a commit is tried again");
      }
      await pause(Math.random() * Math.min(2 ** n * 4, 250));
    }
    log.warn({ err: last, actor: batch.actor }, "a batch could not be committed in time");
    throw unknown(last);
  };
}

const storedTimer = ({ timerId, event, dueAt }: TimerDoc): StoredTimer => ({ timerId, event, dueAt });

/** So many commits have come since that the snapshot no longer says whether a tried one is among them. */
function isForgotten(doc: SnapshotDoc, tried: Map<string, Tried>): boolean {
  const oldest = doc.version - REMEMBERED_COMMITS;
  return [...tried.values()].some(({ decision, isOpen }) => isOpen && decision.prepared.version < oldest);
}

/** Only the same request, repeated with its key, finds out what became of it. */
const unknown = (cause?: unknown) =>
  new ServiceError("unavailable", { retry_after_ms: 1_000 }, cause === undefined ? {} : { cause });

/** Conflicts, and a store that is unavailable; anything else is a bug and will not mend itself. */
const mayTryAgain = (err: unknown): boolean => isWriteConflict(err) || isMongoUnavailable(err);
