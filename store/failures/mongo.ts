import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError } from "mongodb";

/** One of our own deadlines over the driver's work has passed. Of a transaction: its commit wasn't sent. */
export class MongoDeadline extends Error {
  override readonly name = "MongoDeadline";
}

/** A commit was sent, and its outcome is unknown. */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/** The driver's errors, beside those of the network, for: no server reachable, or not in time. */
const UNAVAILABLE = new Set([
  "MongoServerSelectionError",
  "MongoPoolClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoNotConnectedError",
  "MongoTopologyClosedError",
  "MongoOperationTimeoutError",
  "MongoWriteConcernError",
]);

/** Stepping down, shutting down, and a time limit that ran out: the server answered, but didn't serve the operation. */
const UNAVAILABLE_CODES = new Set<unknown>([
  50, 64, 89, 91, 189, 262, 6, 7, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Somebody ended the session or the statement while it ran, as the job does that ends abandoned transactions. */
const INTERRUPTED = 11_601;

/** LockTimeout, WriteConflict, SnapshotUnavailable, NoSuchTransaction, TransactionExceededLifetimeLimitSeconds. */
const TRANSIENT_CODES = new Set<unknown>([24, 112, 246, 251, 290, INTERRUPTED]);

/**
 * MongoDB is unreachable or didn't answer in time. Requests answer it with 503. What a single
 * write did is then unknown; of a transaction nothing happened, unless it is an UnknownOutcome.
 */
export function isMongoUnavailable(err: unknown): boolean {
  if (err instanceof MongoDeadline || err instanceof UnknownOutcome) return true;
  if (!(err instanceof MongoError)) return false;
  const reason = reasonOf(err);
  if (reason instanceof MongoNetworkError || UNAVAILABLE.has(reason.name) || isTransient(err)) return true;
  return isUnconfirmed(err) || codesOf(err).some((code) => UNAVAILABLE_CODES.has(code));
}

/** A transaction met another one, or lost its server, before it was committed: nothing happened, and the next may do. */
export function isTransient(err: unknown): boolean {
  if (!(err instanceof MongoError)) return false;
  return (
    err.hasErrorLabel("TransientTransactionError") || codesOf(err).some((code) => TRANSIENT_CODES.has(code))
  );
}

/** A commit whose outcome is unknown and can be found out by committing again. An interrupted one may have happened. */
export function isUnknownCommit(err: unknown): boolean {
  return (
    err instanceof MongoError &&
    (err.hasErrorLabel("UnknownTransactionCommitResult") || err.code === INTERRUPTED)
  );
}

/** True for a unique index refusing a second document. */
export function isDuplicateKey(err: unknown): boolean {
  return err instanceof MongoServerError && err.code === 11000;
}

const VIOLATED = /collection: [^.\s]+\.(\S+) index: (\S+)/;

/** The unique index that refused a second document, as "collection.index"; null when it was something else. */
export function violatedIndex(err: unknown): string | null {
  // The server names the index in its message only.
  const [, collection, index] =
    (isDuplicateKey(err) && err instanceof Error && VIOLATED.exec(err.message)) || [];
  return collection !== undefined && index !== undefined ? `${collection}.${index}` : null;
}

/** What a bulk write failed for before a server answered it: the driver hides that in an error of its own. */
function reasonOf(err: MongoError): MongoError {
  if (!(err instanceof MongoBulkWriteError)) return err;
  const reason: unknown = err.errorResponse;
  return reason instanceof MongoError ? reason : err;
}

/** A bulk write that was done, but not by as many as it should be: a MongoWriteConcernError, had it been a single one. */
function isUnconfirmed(err: MongoError): boolean {
  if (!(err instanceof MongoBulkWriteError) || [err.writeErrors].flat().length > 0) return false;
  return err.result.getWriteConcernError() !== undefined;
}

/** A bulk write that failed as a whole carries its reasons inside, without labels. */
function codesOf(err: MongoError): unknown[] {
  if (!(err instanceof MongoBulkWriteError)) return [err.code];
  const inside = Array.isArray(err.writeErrors) ? err.writeErrors : [err.writeErrors];
  return [err.code, ...inside.map(({ code }) => code)];
}
