import { processClock } from "../../../base/clock.ts";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import type { Log } from "../../../base/log.ts";
import { connectForMaintenance } from "../../../store/mongo/driver/connect.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { LockLost, SchemaError } from "../../../store/mongo/schema/schema-error.ts";
import { redactText } from "../process/redaction.ts";
import { followMongoTime } from "../process/required-clocks.ts";
import { StartError } from "../process/start-error.ts";
import { requireRestoreFinished } from "./unfinished-restore.ts";

/**
 * The step before workers start: collections, indexes and migrations, however long they take. Resolves when the database is as this
 * release needs it; times in it are MongoDB's. Throws a StartError with the reason when that can't be had, or when a restore isn't
 * finished. After `signal` it rejects with another error, once no work is in progress any more and the lock is given back; MongoDB goes
 * on with an index that it builds.
 */
export async function completeSchema(options: {
  mongo: { url: string; database: string };
  log: Log;
  report: (line: string) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { mongo, log, report, signal } = options;
  try {
    // Building an index may take longer than requests may wait.
    const work = await connectForMaintenance(mongo, 0);
    try {
      await onConnection(work);
    } finally {
      await work.close();
    }
  } catch (err) {
    if (signal.aborted) throw err;
    if (err instanceof SchemaError) throw new StartError(err.message, { cause: err });
    if (!isMongoUnavailable(err) || !(err instanceof Error)) throw err;
    throw new StartError(`MongoDB doesn't answer (${redactText(err.message)}); start again.`, { cause: err });
  }

  async function onConnection(work: Awaited<ReturnType<typeof connectForMaintenance>>): Promise<void> {
    const locks = await connectForMaintenance(mongo);
    const interrupt = () => {
      work.close().catch((err: unknown) => log.debug({ err }, "connection not closed"));
    };
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      signal.throwIfAborted();
      await followMongoTime(work.db);
      await requireRestoreFinished(work.db);
      for (let isDone = false; !isDone; ) {
        isDone = await migrate(work, { clock: processClock, log, report, signal, locks: locks.db }).then(
          () => true,
          (err: unknown) => {
            // The other process may stop half-way, too.
            if (err instanceof LockLost) return false;
            throw err;
          },
        );
      }
    } finally {
      signal.removeEventListener("abort", interrupt);
      await locks.close();
    }
  }
}
