import { setTimeout as pause } from "node:timers/promises";
import type { AnyMachineSnapshot } from "xstate";
import { unavailable } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { withDeadline } from "../../store/deadline.ts";
import { Conflict, isWriteConflict } from "../../store/failures/conflict.ts";
import {
  isMongoUnavailable,
  isTransient,
  MongoDeadline,
  UnknownOutcome,
} from "../../store/failures/mongo.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { historyIn } from "../../store/mongo/history.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { type SnapshotDoc, type StoredTimer, snapshotsIn } from "../../store/mongo/snapshots.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/timers.ts";
import { inTransaction, nextAttemptMs } from "../../store/mongo/transaction.ts";
import type { FairLock } from "../../store/redis/fair-lock.ts";
import { BatchDecision } from "./batch-decision.ts";
import { ContendedActors } from "./contended-actors.ts";
import type { AnyDefinition, Refusal } from "./definition.ts";
import { GroupCommit } from "./group-commit.ts";
import { MemberPrefetch } from "./member-prefetch.ts";
import type { HostMetrics } from "./metrics.ts";
import { isOutdated, rearm } from "./rearm.ts";
import type { Request } from "./request.ts";
import { NO_MEMBERS, type PrefetchedMembers, SETTLE } from "./settling.ts";
import { SnapshotCache } from "./snapshot-cache.ts";
import { pathOf, restore } from "./snapshot-codec.ts";
import { hasFiredBefore, refusalFor } from "./unique-violation.ts";
import { createWriter, isNearDeadline, nextSnapshot } from "./write.ts";

const MAX_ATTEMPTS = 64;
/** Concurrent shared transactions; while they run, small batches of other actors gather for the next one. */
const SHARED_CONCURRENCY = 2;
/** Actors per shared transaction, at most. */
const ACTORS_PER_GROUP = 64;
/** Concurrent transactions of large batches, and of contended actors. */
const LARGE_CONCURRENCY = 4;
const EXCLUSIVE_CONCURRENCY = 16;
/** A batch with more requests plus settled members than this gets a transaction of its own. */
const LARGE = 32;
/** How long a batch waits for a transaction to begin; with the transaction's time added, that is within the deadline. */
const MAX_WAIT_MS = 3_000;
/** Commit ids that a snapshot keeps; a process has only one batch of an actor in progress at a time. */
const REMEMBERED_COMMITS = 16;
/** Timeout for reading the members to settle, so that other requests of the actor don't wait longer for them. */
const MEMBERS_MS = 2_000;

/** A batch to decide. */
type Batch = { definition: AnyDefinition; actor: string; id: string; requests: Request[] };

/** A commit that was attempted; while `isOpen`, its outcome is unknown. */
type Tried = { decision: BatchDecision; isOpen: boolean };

/**
 * One attempt at a batch. `deadline` holds for all attempts together, in the time of performance.now(); `attemptMs` for each
 * answer that this attempt waits for: the snapshot, the reads, and the transaction. `violated`: set when the batch has one
 * request and its last attempt violated a unique index that the definition names.
 */
type Attempt = {
  batch: Batch;
  tried: Map<string, Tried>;
  deadline: number;
  attemptMs: number;
  violated: Refusal | null;
};

type CommitDeps = { mongo: Mongo; lock: FairLock; clock: Clock; log: Log; metrics: HostMetrics };

/**
 * How a batch becomes durable:
 * 1. prepare: load the snapshot, or take it from this process's cache; then read what the batch needs, with one query per
 *    collection;
 * 2. decide: decide every request in memory, in order;
 * 3. write: one transaction replaces exactly the version that was decided on (optimistic lock) and writes all effects;
 *    when many actors write at the same time, small batches of several share one (group-commit.ts);
 * 4. on a conflict or an unknown outcome, begin again at 1: the snapshot names the commits that made it, so an attempt
 *    that did commit is found, and its decisions stand.
 * No request is answered before the commit. Returns the committed decisions.
 */
export function createCommitter({ mongo, lock, clock, log, metrics }: CommitDeps) {
  const snapshotCache = new SnapshotCache(clock);
  const snapshots = snapshotsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  const history = historyIn(mongo.db);
  const writeAll = createWriter(mongo);
  const writing = { run: writeAll, maxWaitMs: MAX_WAIT_MS, timeoutError: unknownOutcome };
  const large = new GroupCommit({ ...writing, concurrency: LARGE_CONCURRENCY, maxBatch: 1, single: null });
  const exclusive = new GroupCommit({
    ...writing,
    concurrency: EXCLUSIVE_CONCURRENCY,
    maxBatch: 1,
    single: null,
  });
  const shared = new GroupCommit({
    ...writing,
    concurrency: SHARED_CONCURRENCY,
    maxBatch: ACTORS_PER_GROUP,
    isHurried: isNearDeadline,
    single: { commit: exclusive, isWorthTrying: (err) => isTransient(err) || !isMongoUnavailable(err) },
  });
  const contended = new ContendedActors();
  const prefetch = new MemberPrefetch();

  /**
   * After a violation the keys are read in a transaction, as they are now rather than as a majority has them: the violating
   * document may be from an earlier commit of the same request, which then wrote the key with it.
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
    // Due timers fire before the requests (batch-decision.ts), and their commands may need the same reads.
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

  /** None unless the actor is settling: before that they may still change. A failed read fails only the settling. */
  async function membersOf(
    { definition, actor, id }: Batch,
    snapshot: AnyMachineSnapshot,
  ): Promise<PrefetchedMembers> {
    const { settling } = definition;
    if (!settling?.states.includes(pathOf(snapshot.value))) return NO_MEMBERS;
    const { cursor } = settling.progress(snapshot.context);
    try {
      const reading = prefetch.take(settling, { actor, id }, cursor);
      return { members: await withDeadline(reading, performance.now() + MEMBERS_MS, unknownOutcome) };
    } catch (failure) {
      return { members: null, failure };
    }
  }

  /** Decides the batch on that snapshot and writes the result. */
  async function decide(attempt: Attempt, doc: SnapshotDoc | null): Promise<BatchDecision> {
    const { batch, tried, deadline, attemptMs, violated } = attempt;
    const now = new Date(clock.now());
    const decision = await inTime(attempt, prepare(attempt, doc, now));
    for (const request of batch.requests) decision.take(request, violated);
    if (!decision.changed) return decision;

    const commitId = newId();
    const own = { decision, isOpen: true };
    tried.set(commitId, own);
    try {
      const commits = [...(doc?.commits ?? []), commitId].slice(-REMEMBERED_COMMITS);
      const decided = { decision, next: nextSnapshot(decision, doc, commits, now), now, deadline, attemptMs };
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
      own.isOpen = err instanceof UnknownOutcome;
      // The batch failed alone: one that failed in a shared transaction has been retried alone (group-commit.ts).
      if (isTransient(err)) contended.add(batch.actor);
      throw err;
    }
    return decision;
  }

  /** Makes one attempt. Returns the decisions that hold. */
  async function run(attempt: Attempt): Promise<BatchDecision> {
    const { batch, tried } = attempt;
    const cached = tried.size === 0 ? snapshotCache.docOf(batch.actor) : null;
    if (cached) {
      const decision = await decide(attempt, cached);
      // A committed decision was made on the newest snapshot. One of refusals only may rest on an outdated one.
      if (decision.changed) return decision;
    }
    const doc = await inTime(attempt, snapshots.find(batch.actor));
    const landedId = doc?.commits.find((commit) => tried.has(commit));
    const landed = landedId !== undefined && tried.get(landedId);
    if (landed) return landed.decision;
    if (doc && isForgotten(doc, tried)) throw unknownOutcome();
    if (doc) snapshotCache.loaded(doc);
    return decide(attempt, doc);
  }

  const runLocked = (attempt: Attempt): Promise<BatchDecision> =>
    snapshotCache.isShared(attempt.batch.actor)
      ? lock.within(attempt.batch.actor, attempt.deadline, () => run(attempt))
      : run(attempt);

  return async function commit(batch: Batch): Promise<BatchDecision> {
    const tried = new Map<string, Tried>();
    const begun = performance.now();
    // Each request is answered by its own deadline; the batch isn't written after the latest of them.
    const deadline = Math.max(...batch.requests.map((request) => request.deadline));
    let last: unknown;
    let violated: Refusal | null = null;
    let unanswered = 0;
    for (let n = 0; n < MAX_ATTEMPTS && performance.now() < deadline; n++) {
      try {
        const decision = await runLocked({
          batch,
          tried,
          deadline,
          attemptMs: nextAttemptMs(unanswered),
          violated,
        });
        if (decision.changed)
          metrics.commit((performance.now() - begun) / 1_000, { machine: batch.definition.name });
        return decision;
      } catch (err) {
        last = err;
        if (err instanceof Conflict) snapshotCache.collided(batch.actor);
        if (err instanceof MongoDeadline || err instanceof UnknownOutcome) unanswered++;
        // After a failed shared transaction each batch was retried alone, so this batch itself caused the failure.
        const refusal: Refusal | null = violated ? null : refusalFor(batch.definition, err);
        const [first, ...others] = batch.requests;
        if (refusal && first && others.length === 0) {
          // The timer or the request may have violated the index; the sweeper fires the timer alone.
          const failed = [...tried.values()].at(-1)?.decision;
          if (failed && hasFiredBefore(failed, first)) throw unknownOutcome(err);
          violated = refusal;
          continue;
        }
        // Of several requests, the host decides one by one (host.ts).
        if (refusal || !isRetryable(err)) {
          if (![...tried.values()].some(({ isOpen }) => isOpen)) throw err;
          break;
        }
        metrics.conflicts(1, { machine: batch.definition.name });
        log.debug({ err, actor: batch.actor, attempt: n }, "a commit is tried again");
      }
      await pause(Math.random() * Math.min(2 ** n * 4, 250));
    }
    log.warn({ err: last, actor: batch.actor }, "a batch could not be committed in time");
    throw unknownOutcome(last);
  };
}

/** Rejects with MongoDeadline when the attempt's time, or that of all attempts, is over. */
const inTime = <T>({ deadline, attemptMs }: Attempt, work: Promise<T>): Promise<T> =>
  withDeadline(
    work,
    Math.min(deadline, performance.now() + attemptMs),
    () => new MongoDeadline("an attempt at a commit took too long"),
  );

const storedTimer = ({ timerId, event, dueAt }: TimerDoc): StoredTimer => ({ timerId, event, dueAt });

/** True when the snapshot has since had too many commits to tell whether an attempted one is among them. */
function isForgotten(doc: SnapshotDoc, tried: Map<string, Tried>): boolean {
  const oldest = doc.version - REMEMBERED_COMMITS;
  return [...tried.values()].some(({ decision, isOpen }) => isOpen && decision.prepared.version < oldest);
}

/** The outcome is unknown: only a retry of the same request with its key finds out. */
const unknownOutcome = (cause?: unknown) => unavailable({ cause });

/** Conflicts, and a store that is unavailable; anything else is a bug, which a retry doesn't fix. */
const isRetryable = (err: unknown): boolean => isWriteConflict(err) || isMongoUnavailable(err);
