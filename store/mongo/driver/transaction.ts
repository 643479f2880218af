/**
 * One transaction, with a time limit:
 * 1. its statements and the commit have to finish within the time of one attempt;
 * 2. a failure before the commit was sent means that nothing happened: a transient one, a lost connection and an attempt that
 *    took too long are retried while there is time; after the latter, an attempt may take twice as long;
 * 3. past its time it sends no further statement: its locks are released after the one that is in flight;
 * 4. a statement after its abort fails, and never runs outside a transaction;
 * 5. a commit without a reply is sent again (it is idempotent); if it stays unknown, it is an UnknownOutcome.
 *
 * The driver's `withTransaction` isn't used, since it retries for two minutes whatever time it is given.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type ClientSession, type MongoClient, MongoServerError, ReadConcern } from "mongodb";
import { withDeadline } from "../../../base/deadline.ts";
import {
  isLostInTransaction,
  isMongoUnavailable,
  isTransient,
  isUnknownCommit,
  MongoDeadline,
  UnknownOutcome,
} from "../../../base/failures/mongo.ts";

export type TransactionTime = {
  /** For the statements and the commit of each attempt, ms; default: `nextAttemptMs`, 5 s for a single attempt. */
  attemptMs?: number;
  /** For all attempts, ms; 0 allows one. */
  allMs?: number;
};

/** For an attempt that isn't repeated. */
const ATTEMPT_MS = 5_000;
/** A server that is cut off doesn't answer; the next attempt may find another one. */
const FIRST_ATTEMPT_MS = 1_500;
const ALL_MS = 8_000;
/** No attempt is started with less time than this. */
const MIN_ATTEMPT_MS = 100;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;
const END_TIMEOUT_MS = 500;

/** How long an attempt may take after so many that took too long, ms. */
export const nextAttemptMs = (late: number): number => FIRST_ATTEMPT_MS * 2 ** late;

/**
 * Runs `write` in one transaction: all of it happens or nothing. `write` is repeated on write conflicts, so it must decide only
 * by what it reads in its session, throw to reject, and have no effect outside the session. It may be repeated while an attempt
 * that took too long still waits for its last statement. It isn't repeated when the loser of
 * a race gets a duplicate key, or when you throw Conflict: use `inRetriedTransaction` for these. Rejects with UnknownOutcome
 * when it may have happened; after any other error nothing did.
 */
export async function inTransaction<T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  { attemptMs, allMs = ALL_MS }: TransactionTime = {},
): Promise<T> {
  if (allMs === 0) return once(client, write, attemptMs ?? ATTEMPT_MS);
  const deadline = performance.now() + allMs;
  let late = 0;
  for (let attempt = 0; ; attempt++) {
    const left = deadline - performance.now();
    try {
      return await once(
        client,
        write,
        Math.min(attemptMs ?? nextAttemptMs(late), Math.max(left, MIN_ATTEMPT_MS)),
      );
    } catch (err) {
      if (!isTransient(err) && !isLostInTransaction(err)) throw err;
      if (err instanceof MongoDeadline) late++;
      const pauseMs = Math.random() * Math.min(FIRST_PAUSE_MS * 1.5 ** attempt, MAX_PAUSE_MS);
      if (performance.now() + pauseMs + MIN_ATTEMPT_MS > deadline) throw err;
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
  // The driver's pending work when our time is over; the session can't be ended before it.
  let inFlight: Promise<unknown> = Promise.resolve();
  let isRefusing = false;
  try {
    session.startTransaction({
      readConcern: { level: ReadConcern.SNAPSHOT },
      writeConcern: { w: "majority", journal: true },
      maxCommitTimeMS: Math.ceil(ms),
    });
    keepInTransaction(session);
    const writing = write(session);
    inFlight = writing;
    const result = await withDeadline(writing, deadline, () => {
      isRefusing = refuseStatements(session);
      return new MongoDeadline("a transaction took too long");
    });
    await commit(session, deadline, (committing) => {
      inFlight = committing;
    });
    return result;
  } finally {
    await ended(session, inFlight, isRefusing);
  }
}

/**
 * Between the reply to an abort and the session's end the driver would send a statement that waited for a connection outside the
 * transaction, and its effect would stay: half of a transaction. That happens when the client is closed while `write` runs, or
 * when `write` fails and leaves a statement behind. Marked as one of its transaction, such a statement is refused by the server.
 */
function keepInTransaction(session: ClientSession): void {
  session.inTransaction = () => true;
}

/**
 * Late work goes on, and would take more locks and keep them: each further statement fails, even one that waits for a
 * connection, so that the abort comes right after the one in flight. False when the session has already ended.
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
      return await withDeadline(committing, deadline, late);
    } catch (err) {
      if (!isUnknownCommit(err)) throw isRejected(err) ? err : late(err);
      if (performance.now() + FIRST_PAUSE_MS > deadline) throw late(err);
      await pause(FIRST_PAUSE_MS);
    }
  }
}

/** A transient failure or a server's error means that it didn't happen; a lost server or a closed client leaves that unknown. */
const isRejected = (err: unknown): boolean =>
  isTransient(err) || (err instanceof MongoServerError && !isMongoUnavailable(err));

/**
 * Ends the session, which aborts an uncommitted transaction. Waits as long as a responsive server needs, so that the next attempt
 * doesn't conflict with this one's locks; with an unresponsive one it ends later, within the socket's timeout.
 */
async function ended(session: ClientSession, inFlight: Promise<unknown>, isRefusing: boolean): Promise<void> {
  const ending = inFlight
    .catch(() => undefined)
    .then(() => {
      // The abort is a statement too. If a closed client ended the session, keep it so: ended twice, two transactions share it.
      if (isRefusing) session.hasEnded = false;
      return session.endSession();
    })
    // There is no caller left for the error; the server aborts the transaction when its time is over.
    .catch(() => undefined);
  const late = new AbortController();
  const waiting = pause(END_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([ending, waiting]);
  late.abort();
}
