import type { Clock } from "../../base/clock.ts";
import { isMongoUnavailable, isTransient } from "../../base/failures/mongo.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { SnapshotDoc } from "../../store/mongo/host/snapshots.ts";
import type { FairLock } from "../../store/redis/fair-lock.ts";
import { ContendedActors } from "./contended-actors.ts";
import { GroupCommit } from "./group-commit.ts";
import { SnapshotCache } from "./snapshot-cache.ts";
import { type CommitOutput, createWriter, type DecidedBatch, isNearDeadline } from "./write.ts";

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

type SchedulingDeps = { mongo: Mongo; lock: FairLock; clock: Clock; timeoutError(): Error };

/**
 * When and together with whom a batch is written. All of it saves time only: whatever is cached, shared or locked, a commit
 * replaces exactly the version that it was decided on (write.ts).
 * - Small batches of several actors share a transaction (group-commit.ts), large ones and contended actors have their own.
 * - The snapshots of actors that only this process commits are cached; processes that commit the same actor take turns.
 */
export function createScheduling({ mongo, lock, clock, timeoutError }: SchedulingDeps) {
  const cache = new SnapshotCache(clock);
  const contended = new ContendedActors();
  const writing = { run: createWriter(mongo), maxWaitMs: MAX_WAIT_MS, timeoutError };
  const ofOne = { ...writing, maxBatch: 1, single: null };
  const large = new GroupCommit({ ...ofOne, concurrency: LARGE_CONCURRENCY });
  const exclusive = new GroupCommit({ ...ofOne, concurrency: EXCLUSIVE_CONCURRENCY });
  const shared = new GroupCommit({
    ...writing,
    concurrency: SHARED_CONCURRENCY,
    maxBatch: ACTORS_PER_GROUP,
    isHurried: isNearDeadline,
    single: { commit: exclusive, isWorthTrying: (err) => isTransient(err) || !isMongoUnavailable(err) },
  });

  const laneOf = (actor: string, extent: number) =>
    contended.has(actor) ? exclusive : extent > LARGE ? large : shared;

  return {
    /** The snapshot to begin with; null when it must be loaded. */
    cached: (actor: string): SnapshotDoc | null => cache.docOf(actor),

    /** Call with the newest snapshot, as loaded from the store. */
    loaded: (doc: SnapshotDoc): void => cache.loaded(doc),

    /** Call after a conflict: another process committed first. */
    collided: (actor: string): void => cache.collided(actor),

    /** Runs `work` when it is this process's turn, if others commit the actor too. */
    inTurn: <T>(actor: string, deadline: number, work: () => Promise<T>): Promise<T> =>
      cache.isShared(actor) ? lock.within(actor, deadline, work) : work(),

    /** Writes a decided batch; `extent`: its requests plus the members that it settles. */
    async write(actor: string, decided: DecidedBatch, extent: number): Promise<CommitOutput> {
      try {
        const written = await laneOf(actor, extent).do(decided);
        cache.committed(decided.next);
        return written;
      } catch (err) {
        cache.forget(actor);
        // The batch failed alone: one that failed in a shared transaction has been retried alone (group-commit.ts).
        if (isTransient(err)) contended.add(actor);
        throw err;
      }
    },
  };
}
