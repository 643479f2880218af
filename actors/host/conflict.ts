import type { ClientSession, MongoClient } from "mongodb";
import { isDuplicateKey } from "../../store/failures/mongo.ts";
import { inTransaction, type TransactionTime } from "../../store/mongo/transaction.ts";

const MAX_ATTEMPTS = 8;

/**
 * Thrown inside a transaction that rests on what is no longer so (another version, too small a balance): nothing of
 * it happened, and deciding again on fresh reads is right.
 */
export class Conflict extends Error {}

/** Somebody else was faster: nothing happened, and looking again shows what did. */
export const isWriteConflict = (err: unknown): boolean => err instanceof Conflict || isDuplicateKey(err);

/** Does `work`, which reads and writes in one transaction, again while it is beaten, 8 times at most; then rejects with what beat it. */
export async function retryingConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (err) {
      if (!isWriteConflict(err) || attempt === MAX_ATTEMPTS) throw err;
    }
  }
}

/** One transaction, done again while it is beaten, as above. */
export const inRetriedTransaction = <T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  time?: TransactionTime,
): Promise<T> => retryingConflicts(() => inTransaction(client, write, time));
