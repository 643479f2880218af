import { setTimeout as pause } from "node:timers/promises";
import { MongoError } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { idempotencyIn } from "../../store/mongo/idempotency.ts";
import { type SnapshotDoc, snapshotsIn } from "../../store/mongo/snapshots.ts";
import { timersIn } from "../../store/mongo/timers.ts";
import type { Turns } from "../../store/redis/turns.ts";
import { Conflict, isBeaten } from "./conflict.ts";
import type { AnyDefinition } from "./definition.ts";
import { restore } from "./envelope.ts";
import { Fold } from "./fold.ts";
import { Gather } from "./gather.ts";
import type { HostMeasures } from "./measures.ts";
import { RecentActors } from "./recent.ts";
import type { Request } from "./request.ts";
import { createWriter, nextSnapshot } from "./write.ts";

const MAX_ATTEMPTS = 12;
const DEADLINE_MS = 8_000;
/** Transactions under way before small batches of different actors share one, and how many then may. */
const GROUPS = 2;
const ACTORS_A_GROUP = 64;
/** Transactions of large batches under way. */
const ALONE = 4;
/** A batch with more requests, or other rows to write, is a transaction's worth of work by itself. */
const LARGE = 32;
/** For so long a batch waits for others to be written; with a transaction's time after it, that is within the deadline. */
const PATIENCE_MS = 3_000;
/** Commits that a snapshot remembers; a process has one batch of an actor under way at a time. */
const REMEMBERED_COMMITS = 16;

/** A batch to decide. */
export type Batch = { definition: AnyDefinition; actor: string; id: string; requests: Request[] };

/** A commit that was begun; while `isOpen` it isn't known whether it happened. */
type Tried = { fold: Fold; isOpen: boolean };

export type CommitDeps = { mongo: Mongo; turns: Turns; clock: Clock; log: Log; measures: HostMeasures };

/**
 * How a batch becomes durable:
 * 1. prepare: load the snapshot, or take it as this process left it; then read what the batch needs, one read a collection;
 * 2. fold: decide every request in memory, in order;
 * 3. write: one transaction that replaces exactly the version it was decided on, with everything the effects ask for;
 *    when many actors write at the same time, small batches of several share one (gather.ts);
 * 4. on a conflict, or when the store can't say what happened, begin again at 1: the snapshot names the commits that
 *    made it, so an attempt that did happen is found and its decisions stand.
 * Nothing is answered before the commit. Returns the decisions that hold.
 */
export function createCommitter({ mongo, turns, clock, log, measures }: CommitDeps) {
  const recent = new RecentActors(clock);
  const snapshots = snapshotsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  const writeAll = createWriter(mongo);
  const writing = { run: writeAll, isOpen: isStoreTrouble, patienceMs: PATIENCE_MS, late: unknown };
  const together = new Gather({ ...writing, atOnce: GROUPS, most: ACTORS_A_GROUP });
  const alone = new Gather({ ...writing, atOnce: ALONE, most: 1 });

  async function prepare(batch: Batch, doc: SnapshotDoc | null, now: Date): Promise<Fold> {
    const { definition, actor, id, requests } = batch;
    const snapshot = doc && restore(definition, doc);
    const keyIds = requests.flatMap(({ once }) => (once ? [once.key] : []));
    const timerIds = requests.flatMap(({ timer }) => (timer ? [timer._id] : []));
    const [work, known, existing] = await Promise.all([
      definition.prepare({ id, context: snapshot?.context ?? null, asked: requests, now }),
      keyIds.length > 0 ? keys.findMany(keyIds) : [],
      timerIds.length > 0 ? timers.findMany(timerIds) : [],
    ]);
    const prepared = {
      definition,
      actor,
      id,
      version: doc?.version ?? 0,
      snapshot,
      timers: new Set(existing.map((timer) => timer._id)),
      answered: new Map(known.filter(({ expiresAt }) => expiresAt > now).map((key) => [key._id, key])),
      expiredKeys: known.filter(({ expiresAt }) => expiresAt <= now).map((key) => key._id),
      work,
    };
    return new Fold(prepared, now);
  }

  /** Decides the batch on that snapshot and writes what came of it. */
  async function decide(batch: Batch, doc: SnapshotDoc | null, tried: Map<string, Tried>): Promise<Fold> {
    const now = new Date(clock.now());
    const fold = await prepare(batch, doc, now);
    for (const request of batch.requests) fold.take(request);
    if (!fold.changed) return fold;

    const commitId = newId();
    const mine = { fold, isOpen: true };
    tried.set(commitId, mine);
    try {
      const commits = [...(doc?.commits ?? []), commitId].slice(-REMEMBERED_COMMITS);
      const decided = { fold, next: nextSnapshot(fold, doc, commits, now), now };
      const extent = batch.requests.length + (batch.definition.extent?.(fold.prepared.work) ?? 0);
      const rows = await (extent > LARGE ? alone : together).do(decided);
      recent.committed(decided.next);
      fold.committed = { version: decided.next.version, rows };
    } catch (err) {
      recent.forget(batch.actor);
      mine.isOpen = isStoreTrouble(err);
      throw err;
    }
    return fold;
  }

  /** One attempt: the decisions that hold. */
  async function attempt(batch: Batch, tried: Map<string, Tried>): Promise<Fold> {
    const remembered = tried.size === 0 ? recent.docOf(batch.actor) : null;
    if (remembered) {
      const fold = await decide(batch, remembered, tried);
      // What was committed was decided on the newest snapshot; refusals alone may have been decided on an old one.
      if (fold.changed) return fold;
    }
    const doc = await snapshots.find(batch.actor);
    const landed = doc?.commits.find((commit) => tried.has(commit));
    const done = landed !== undefined && tried.get(landed);
    if (done) return done.fold;
    if (doc && isForgotten(doc, tried)) throw unknown();
    if (doc) recent.loaded(doc);
    return decide(batch, doc, tried);
  }

  const inTurn = (batch: Batch, tried: Map<string, Tried>): Promise<Fold> =>
    recent.isShared(batch.actor)
      ? turns.within(batch.actor, () => attempt(batch, tried))
      : attempt(batch, tried);

  return async function commit(batch: Batch): Promise<Fold> {
    const tried = new Map<string, Tried>();
    const begun = performance.now();
    const deadline = begun + DEADLINE_MS;
    let last: unknown;
    for (let n = 0; n < MAX_ATTEMPTS && performance.now() < deadline; n++) {
      try {
        const fold = await inTurn(batch, tried);
        if (fold.changed) measures.committed(batch.definition.name, (performance.now() - begun) / 1_000);
        return fold;
      } catch (err) {
        last = err;
        if (err instanceof Conflict) recent.collided(batch.actor);
        if (!mayTryAgain(err)) {
          if (![...tried.values()].some(({ isOpen }) => isOpen)) throw err;
          break;
        }
        measures.conflict(batch.definition.name);
        log.debug({ err, actor: batch.actor, attempt: n }, "a commit is tried again");
      }
      await pause(Math.random() * Math.min(2 ** n * 4, 250));
    }
    log.warn({ err: last, actor: batch.actor }, "a batch could not be committed in time");
    throw unknown(last);
  };
}

/** So many commits have come since that the snapshot no longer says whether a tried one is among them. */
function isForgotten(doc: SnapshotDoc, tried: Map<string, Tried>): boolean {
  const oldest = doc.version - REMEMBERED_COMMITS;
  return [...tried.values()].some(({ fold, isOpen }) => isOpen && fold.prepared.version < oldest);
}

/** Only the same request, repeated with its key, can tell what became of it. */
const unknown = (cause?: unknown) =>
  new ServiceError("unavailable", { retry_after_ms: 1_000 }, cause === undefined ? {} : { cause });

/** Conflicts, and whatever leaves the outcome of a transaction open; anything else is a bug and will not mend itself. */
function mayTryAgain(err: unknown): boolean {
  if (isBeaten(err) || isStoreTrouble(err)) return true;
  return err instanceof MongoError && err.hasErrorLabel("TransientTransactionError");
}

const TROUBLE = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoServerSelectionError",
  "MongoOperationTimeoutError",
  "MongoPoolClearedError",
  "MongoNotConnectedError",
  "MongoWriteConcernError",
  "MongoTopologyClosedError",
]);

/** The store was away or silent: what was asked of it may have happened. */
function isStoreTrouble(err: unknown): boolean {
  if (!(err instanceof MongoError)) return false;
  return (
    TROUBLE.has(err.name) ||
    err.hasErrorLabel("UnknownTransactionCommitResult") ||
    err.hasErrorLabel("RetryableWriteError")
  );
}
