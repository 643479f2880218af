import { setTimeout as pause } from "node:timers/promises";
import { isMongoUnavailable } from "../../store/failures/mongo.ts";
import type { Log } from "../../store/log.ts";
import { connectForMaintenance } from "../../store/mongo/connect.ts";
import { isSchemaComplete } from "../../store/mongo/schema/migrate.ts";

const CHECK_EVERY_MS = 2_000;

/**
 * Resolves when the database's schema is complete. It is, at nearly every start; a worker that is started while another host migrates, or
 * after an older backup was restored, waits here, and calls `waiting` each time that it has looked.
 */
export async function schemaComplete(
  mongo: { url: string; database: string },
  { log, waiting }: { log: Log; waiting: () => void },
): Promise<void> {
  // While an index of it is being built, a collection may answer later than requests may wait.
  const { db, close } = await connectForMaintenance(mongo);
  try {
    if (await isSchemaComplete(db)) return;
    log.info("schema incomplete: worker waits");
    do {
      waiting();
      await pause(CHECK_EVERY_MS);
    } while (!(await isSchemaComplete(db).catch(notWhileAway)));
    log.info("schema complete: worker goes on");
  } finally {
    await close();
  }
}

/** An election ends no wait that may take hours. */
function notWhileAway(err: unknown): boolean {
  if (!isMongoUnavailable(err)) throw err;
  return false;
}
