import type { ClientSession, MongoClient } from "mongodb";
import { isWriteConflict } from "../../../base/failures/conflict.ts";
import { inTransaction, type TransactionTime } from "./transaction.ts";

const MAX_ATTEMPTS = 8;

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
