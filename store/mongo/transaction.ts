/**
 * One transaction, and its end in time:
 * 1. statements, then the commit, within the time of one attempt;
 * 2. what failed before its commit was sent did nothing: a transient failure is tried again while there is time;
 * 3. past its time it sends no further statement: what it holds is free after the one that is under way;
 * 4. a statement that comes after its abort fails: it is never one outside a transaction;
 * 5. a commit without an answer is sent again (it is idempotent); still unknown at the end, it is an UnknownOutcome.
 *
 * Not the driver's `withTransaction`: that one tries again for two minutes, whatever time it is given.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type ClientSession, type MongoClient, MongoServerError, ReadConcern } from "mongodb";
import { within } from "../deadline.ts";
import {
  isMongoUnavailable,
  isTransient,
  isUnknownCommit,
  MongoDeadline,
  UnknownOutcome,
} from "../failures/mongo.ts";

export type TransactionTime = {
  /** For the statements and the commit of one attempt, ms. */
  attemptMs?: number;
  /** For all attempts, ms; 0 allows one. */
  allMs?: number;
};

const ATTEMPT_MS = 5_000;
const ALL_MS = 8_000;
/** An attempt with less time than this isn't begun. */
const LEAST_MS = 100;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;
const ENDS_WITHIN_MS = 500;

/**
 * Runs `write` in one transaction: all of it happens or none. `write` is repeated on write conflicts, so what it decides rests on
 * what it reads in its session, a decision against it is thrown, and it has no effect outside the session. It isn't repeated
 * when the loser of a race gets a duplicate key, or you throw Conflict: take `inRetriedTransaction` then. Rejects with UnknownOutcome when it may have happened; after any other error
 * nothing did.
 */
export async function inTransaction<T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  { attemptMs = ATTEMPT_MS, allMs = ALL_MS }: TransactionTime = {},
): Promise<T> {
  const deadline = performance.now() + allMs;
  for (let attempt = 0; ; attempt++) {
    const left = deadline - performance.now();
    try {
      return await once(
        client,
        write,
        allMs === 0 ? attemptMs : Math.min(attemptMs, Math.max(left, LEAST_MS)),
      );
    } catch (err) {
      if (!isTransient(err)) throw err;
      const pauseMs = Math.random() * Math.min(FIRST_PAUSE_MS * 1.5 ** attempt, LONGEST_PAUSE_MS);
      if (performance.now() + pauseMs + LEAST_MS > deadline) throw err;
      await pause(pauseMs);
    }
  }
}

async function once<T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  ms: number,
): Promise<T> {
  const deadline = performance.now() + ms;
  const session = client.startSession();
  // What the driver is still at when our time is over; the session can't be ended before.
  let underWay: Promise<unknown> = Promise.resolve();
  let isRefusing = false;
  try {
    session.startTransaction({
      readConcern: { level: ReadConcern.SNAPSHOT },
      writeConcern: { w: "majority", journal: true },
      maxCommitTimeMS: Math.ceil(ms),
    });
    keepInside(session);
    const writing = write(session);
    underWay = writing;
    const result = await within(writing, deadline, () => {
      isRefusing = refuseStatements(session);
      return new MongoDeadline("a transaction took too long");
    });
    await commit(session, deadline, (committing) => {
      underWay = committing;
    });
    return result;
  } finally {
    await ended(session, underWay, isRefusing);
  }
}

/**
 * Between an abort's answer and the session's end the driver sends a statement that waited for a connection by itself, and
 * it stays: half of a transaction. That happens when the client is closed while `write` goes on, or when `write` fails and
 * leaves a statement behind. As one of its transaction such a statement is refused by the server.
 */
function keepInside(session: ClientSession): void {
  session.inTransaction = () => true;
}

/**
 * Late work goes on, and would lock more and keep what it has: each further statement fails, also one that waits for a
 * connection, so that the abort comes after the one that is under way. False when the session has ended by itself.
 */
function refuseStatements(session: ClientSession): boolean {
  const isOpen = !session.hasEnded;
  session.hasEnded = true;
  return isOpen;
}

async function commit(
  session: ClientSession,
  deadline: number,
  begun: (committing: Promise<unknown>) => void,
): Promise<void> {
  const late = (cause?: unknown) =>
    new UnknownOutcome("a commit wasn't answered in time", cause === undefined ? {} : { cause });
  for (;;) {
    const committing = session.commitTransaction();
    begun(committing);
    try {
      return await within(committing, deadline, late);
    } catch (err) {
      if (!isUnknownCommit(err)) throw saysNo(err) ? err : late(err);
      if (performance.now() + FIRST_PAUSE_MS > deadline) throw late(err);
      await pause(FIRST_PAUSE_MS);
    }
  }
}

/** A server's answer says that it didn't happen, as a transient failure does; one that has gone, or a closed client, says nothing. */
const saysNo = (err: unknown): boolean =>
  isTransient(err) || (err instanceof MongoServerError && !isMongoUnavailable(err));

/**
 * Ends the session, which aborts what wasn't committed. Waited for as long as a server that answers needs, so that the
 * next attempt doesn't meet this one's locks; with one that doesn't, it happens later, within the socket's time-out.
 */
async function ended(session: ClientSession, underWay: Promise<unknown>, isRefusing: boolean): Promise<void> {
  const ending = underWay
    .catch(() => undefined)
    .then(() => {
      // The abort is a statement too. A session that a closed client has ended stays so: ended twice, two transactions share it.
      if (isRefusing) session.hasEnded = false;
      return session.endSession();
    })
    // No caller is left for the error; the server drops the transaction when its time is over.
    .catch(() => undefined);
  const late = new AbortController();
  const waiting = pause(ENDS_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([ending, waiting]);
  late.abort();
}
