import type { ClientSession, MongoClient } from "mongodb";
import { isDuplicateKey } from "../../store/failures/mongo.ts";
import { inTransaction, type TransactionTime } from "../../store/mongo/transaction.ts";

const MAX_ATTEMPTS = 8;

/**
 * Thrown inside a transaction whose premise no longer holds (another version, too small a balance). Nothing was written;
 * the caller should decide again on fresh reads.
 */
export class Conflict extends Error {}

/** A concurrent writer won: nothing was written, and a fresh read shows what the other one wrote. */
export const isWriteConflict = (err: unknown): boolean => err instanceof Conflict || isDuplicateKey(err);

/** Runs `work`, which reads and writes in one transaction, at most 8 times while it conflicts; rejects with the last conflict. */
export async function retryingConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (err) {
      if (!isWriteConflict(err) || attempt === MAX_ATTEMPTS) throw err;
    }
  }
}

/** One transaction, retried on conflicts like `retryingConflicts`. */
export const inRetriedTransaction = <T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  time?: TransactionTime,
): Promise<T> => retryingConflicts(() => inTransaction(client, write, time));
