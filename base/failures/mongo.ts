import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError } from "mongodb";

/** One of our own deadlines for a driver operation has passed. For a transaction: its commit wasn't sent. */
export class MongoDeadline extends Error {
  override readonly name = "MongoDeadline";
}

/** A commit was sent, and its outcome is unknown. */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/** Names of the driver's errors, besides network errors, for: no server reachable, or no reply in time. */
const UNAVAILABLE = new Set([
  "MongoServerSelectionError",
  "MongoPoolClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoNotConnectedError",
  "MongoTopologyClosedError",
  "MongoOperationTimeoutError",
  "MongoWriteConcernError",
]);

/** Stepping down, shutting down, and an expired time limit: the server replied, but didn't run the operation. */
const UNAVAILABLE_CODES = new Set<unknown>([
  50, 64, 89, 91, 189, 262, 6, 7, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** The session or the operation was killed while it ran, for example by the job that ends abandoned transactions. */
const INTERRUPTED = 11_601;

/** LockTimeout, WriteConflict, SnapshotUnavailable, NoSuchTransaction, TransactionExceededLifetimeLimitSeconds. */
const TRANSIENT_CODES = new Set<unknown>([24, 112, 246, 251, 290, INTERRUPTED]);

/**
 * MongoDB is unreachable or didn't reply in time. Requests get a 503. The outcome of a single write is then unknown; a
 * transaction did nothing, unless the error is an UnknownOutcome.
 */
export function isMongoUnavailable(err: unknown): boolean {
  if (err instanceof MongoDeadline || err instanceof UnknownOutcome) return true;
  if (!(err instanceof MongoError)) return false;
  const reason = reasonOf(err);
  if (reason instanceof MongoNetworkError || UNAVAILABLE.has(reason.name) || isTransient(err)) return true;
  return isUnconfirmed(err) || codesOf(err).some((code) => UNAVAILABLE_CODES.has(code));
}

/** A transaction hit a write conflict or lost its server before its commit: nothing happened, and a retry may succeed. */
export function isTransient(err: unknown): boolean {
  if (!(err instanceof MongoError)) return false;
  return (
    err.hasErrorLabel("TransientTransactionError") || codesOf(err).some((code) => TRANSIENT_CODES.has(code))
  );
}

/**
 * An operation in a transaction, before its commit, was stopped by our deadline or lost its connection: nothing happened, and
 * another attempt may succeed. The driver gives no label to an operation that it interrupts when it gives a server up.
 */
export function isLostInTransaction(err: unknown): boolean {
  return (
    err instanceof MongoDeadline || (err instanceof MongoError && reasonOf(err) instanceof MongoNetworkError)
  );
}

/** A commit with unknown outcome, which committing again resolves. An interrupted one may have happened. */
export function isUnknownCommit(err: unknown): boolean {
  if (!(err instanceof MongoError)) return false;
  return (
    err instanceof MongoNetworkError ||
    err.hasErrorLabel("UnknownTransactionCommitResult") ||
    err.code === INTERRUPTED
  );
}

/** True for a unique index refusing a second document. */
export function isDuplicateKey(err: unknown): boolean {
  return err instanceof MongoServerError && err.code === 11000;
}

const VIOLATED = /collection: [^.\s]+\.(\S+) index: (\S+)/;

/** The unique index that was violated, as "collection.index"; null for any other error. */
export function violatedIndex(err: unknown): string | null {
  // The server names the index in its message only.
  const [, collection, index] =
    (isDuplicateKey(err) && err instanceof Error && VIOLATED.exec(err.message)) || [];
  return collection !== undefined && index !== undefined ? `${collection}.${index}` : null;
}

/** Why a bulk write failed before a server replied: the driver wraps that in an error of its own. */
function reasonOf(err: MongoError): MongoError {
  if (!(err instanceof MongoBulkWriteError)) return err;
  const reason: unknown = err.errorResponse;
  return reason instanceof MongoError ? reason : err;
}

/** A bulk write without the requested write concern: for a single write this would be a MongoWriteConcernError. */
function isUnconfirmed(err: MongoError): boolean {
  if (!(err instanceof MongoBulkWriteError) || [err.writeErrors].flat().length > 0) return false;
  return err.result.getWriteConcernError() !== undefined;
}

/** A bulk write that failed as a whole has the causes inside, without labels. */
function codesOf(err: MongoError): unknown[] {
  if (!(err instanceof MongoBulkWriteError)) return [err.code];
  const inside = Array.isArray(err.writeErrors) ? err.writeErrors : [err.writeErrors];
  return [err.code, ...inside.map(({ code }) => code)];
}
