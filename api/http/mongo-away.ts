import { MongoError } from "mongodb";

/** The driver's errors that say: no server could be asked, or not in time. */
const AWAY = new Set([
  "MongoServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoNotConnectedError",
  "MongoTopologyClosedError",
  "MongoOperationTimeoutError",
]);

/** Stepping down, shutting down, and a time limit that ran out: the server answered, but not the question. */
const AWAY_CODES = new Set<unknown>([50, 91, 189, 262, 10107, 11600, 11602, 13435, 13436]);

/** True when MongoDB couldn't be asked; the outcome of a write is then unknown. */
export function isMongoAway(err: unknown): boolean {
  if (!(err instanceof MongoError)) return false;
  return AWAY.has(err.name) || AWAY_CODES.has(err.code) || err.hasErrorLabel("TransientTransactionError");
}
