import { type ClientSession, type MongoClient, MongoServerError, ReadConcern } from "mongodb";

/**
 * Runs `write` in one transaction: all of it happens or none.
 * `write` may run several times (transient conflicts), so it takes no decision and has no effect outside
 * its session. Rejects with the driver's error when the deadline passes: the outcome is then unknown.
 */
export async function inTransaction<T>(
  client: MongoClient,
  write: (session: ClientSession) => Promise<T>,
  deadlineMs = 5_000,
): Promise<T> {
  return client.withSession((session) =>
    session.withTransaction(write, {
      readConcern: { level: ReadConcern.SNAPSHOT },
      writeConcern: { w: "majority", journal: true },
      maxCommitTimeMS: deadlineMs,
      timeoutMS: deadlineMs,
    }),
  );
}

/** True for a unique index refusing a second document. */
export function isDuplicateKey(err: unknown): boolean {
  return err instanceof MongoServerError && err.code === 11000;
}
