import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import { withDeadline } from "../../base/deadline.ts";
import { Conflict, isWriteConflict } from "../../base/failures/conflict.ts";
import { isMongoUnavailable, MongoDeadline, UnknownOutcome } from "../../base/failures/mongo.ts";
import { newId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { unavailable } from "../../contract/errors.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { nextAttemptMs } from "../../store/mongo/driver/transaction.ts";
import { type SnapshotDoc, snapshotsIn } from "../../store/mongo/host/snapshots.ts";
import type { FairLock } from "../../store/redis/fair-lock.ts";
import type { Batch } from "./batch.ts";
import type { BatchDecision } from "./batch-decision.ts";
import type { Refusal } from "./definition.ts";
import { MemberPrefetch } from "./member-prefetch.ts";
import type { HostMetrics } from "./metrics.ts";
import { createPreparation } from "./preparation.ts";
import { createScheduling } from "./scheduling.ts";
import { hasFiredBefore, refusalFor } from "./unique-violation.ts";
import { nextSnapshot } from "./write.ts";

const MAX_ATTEMPTS = 64;
/** Commit ids that a snapshot keeps; a process has only one batch of an actor in progress at a time. */
const REMEMBERED_COMMITS = 16;

/** A commit that was attempted; while `isUnknown`, it may have been written or not. */
type Attempted = { decision: BatchDecision; isUnknown: boolean };

/**
 * One attempt at a batch. `deadline` holds for all attempts together, in the time of performance.now(); `attemptMs` for each
 * answer that this attempt waits for: the snapshot, the reads, and the transaction. `attempted`: all commits so far, by id.
 * `violated`: set when the batch has one request and its last attempt violated a unique index that the definition names.
 */
type Attempt = {
  batch: Batch;
  attempted: Map<string, Attempted>;
  deadline: number;
  attemptMs: number;
  violated: Refusal | null;
};

type CommitDeps = { mongo: Mongo; lock: FairLock; clock: Clock; log: Log; metrics: HostMetrics };

/**
 * How a batch becomes durable:
 * 1. prepare: load the snapshot, or take it from this process's cache; then read what the batch needs (preparation.ts);
 * 2. decide: decide every request in memory, in order (batch-decision.ts);
 * 3. write: one transaction replaces exactly the version that was decided on (optimistic lock) and writes all effects (write.ts),
 *    when scheduling.ts lets it;
 * 4. on a conflict or an unknown outcome, begin again at 1: the snapshot names the commits that made it, so an attempt
 *    that did commit is recognised, and its decisions stand.
 * No request is answered before the commit. Returns the committed decisions.
 */
export function createCommitter({ mongo, lock, clock, log, metrics }: CommitDeps) {
  const snapshots = snapshotsIn(mongo.db);
  const prefetch = new MemberPrefetch();
  const prepare = createPreparation(mongo, prefetch);
  const scheduling = createScheduling({ mongo, lock, clock, timeoutError: unknownOutcome });

  /** Makes one attempt. Returns the decisions that hold. */
  async function run(attempt: Attempt): Promise<BatchDecision> {
    const { batch, attempted } = attempt;
    const cached = attempted.size === 0 ? scheduling.cached(batch.actor) : null;
    if (cached) {
      const decision = await decide(attempt, cached);
      // A committed decision was made on the newest snapshot. One of refusals only may rest on an outdated one.
      if (decision.changed) return decision;
    }
    const doc = await inTime(attempt, snapshots.find(batch.actor));
    const own = recognised(doc, attempted);
    if (own) return own.decision;
    if (doc && isForgotten(doc, attempted)) throw unknownOutcome();
    if (doc) scheduling.loaded(doc);
    return decide(attempt, doc);
  }

  /** Decides the batch on that snapshot and writes the result. */
  async function decide(attempt: Attempt, doc: SnapshotDoc | null): Promise<BatchDecision> {
    const { batch, violated } = attempt;
    const now = new Date(clock.now());
    const decision = await inTime(attempt, prepare(batch, { doc, isViolated: violated !== null, now }));
    for (const request of batch.requests) decision.take(request, violated);
    if (decision.changed) await write(attempt, { decision, doc, now });
    return decision;
  }

  async function write(
    { batch, attempted, deadline, attemptMs }: Attempt,
    { decision, doc, now }: { decision: BatchDecision; doc: SnapshotDoc | null; now: Date },
  ): Promise<void> {
    const commitId = newId();
    const own = { decision, isUnknown: true };
    attempted.set(commitId, own);
    const commits = [...(doc?.commits ?? []), commitId].slice(-REMEMBERED_COMMITS);
    const { settled } = decision.settling;
    try {
      const next = nextSnapshot(decision, doc, commits, now);
      const { settling } = batch.definition;
      if (settling && settled && !settled.last) prefetch.begin(settling, batch, settled.to.cursor);
      const extent = batch.requests.length + (settled?.members.length ?? 0);
      const decided = { decision, next, now, deadline, attemptMs };
      const { rows, others, messages } = await scheduling.write(batch.actor, decided, extent);
      decision.committed = { version: next.version, rows };
      decision.sources = [...new Set(others.map((row) => row.actor))];
      decision.messages = messages;
    } catch (err) {
      own.isUnknown = err instanceof UnknownOutcome;
      throw err;
    }
  }

  return async function commit(batch: Batch): Promise<BatchDecision> {
    const attempted = new Map<string, Attempted>();
    const begun = performance.now();
    // Each request is answered by its own deadline; the batch isn't written after the latest of them.
    const deadline = Math.max(...batch.requests.map((request) => request.deadline));
    let last: unknown;
    let violated: Refusal | null = null;
    let unanswered = 0;
    for (let n = 0; n < MAX_ATTEMPTS && performance.now() < deadline; n++) {
      try {
        const attempt = { batch, attempted, deadline, attemptMs: nextAttemptMs(unanswered), violated };
        const decision = await scheduling.inTurn(batch.actor, deadline, () => run(attempt));
        if (decision.changed)
          metrics.commit((performance.now() - begun) / 1_000, { machine: batch.definition.name });
        return decision;
      } catch (err) {
        last = err;
        if (err instanceof Conflict) scheduling.collided(batch.actor);
        if (err instanceof MongoDeadline || err instanceof UnknownOutcome) unanswered++;
        // After a failed shared transaction each batch was retried alone, so this batch itself caused the failure.
        const refusal: Refusal | null = violated ? null : refusalFor(batch.definition, err);
        const [first, ...others] = batch.requests;
        if (refusal && first && others.length === 0) {
          // The timer or the request may have violated the index; the sweeper fires the timer alone.
          const failed = [...attempted.values()].at(-1)?.decision;
          if (failed && hasFiredBefore(failed, first)) throw unknownOutcome(err);
          violated = refusal;
          continue;
        }
        // Of several requests, the host decides one by one (host.ts).
        if (refusal || !isRetryable(err)) {
          if (![...attempted.values()].some(({ isUnknown }) => isUnknown)) throw err;
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

/** The attempt that made a commit of this snapshot, if one did: its outcome had been unknown. */
function recognised(doc: SnapshotDoc | null, attempted: Map<string, Attempted>): Attempted | undefined {
  const commitId = doc?.commits.find((commit) => attempted.has(commit));
  return commitId === undefined ? undefined : attempted.get(commitId);
}

/** True when the snapshot has since had too many commits to tell whether an attempted one is among them. */
function isForgotten(doc: SnapshotDoc, attempted: Map<string, Attempted>): boolean {
  const oldest = doc.version - REMEMBERED_COMMITS;
  return [...attempted.values()].some(
    ({ decision, isUnknown }) => isUnknown && decision.prepared.version < oldest,
  );
}

/** The outcome is unknown: only a retry of the same request with its key finds out. */
const unknownOutcome = (cause?: unknown) => unavailable({ cause });

/** Conflicts, and a store that is unavailable; anything else is a bug, which a retry doesn't fix. */
const isRetryable = (err: unknown): boolean => isWriteConflict(err) || isMongoUnavailable(err);
