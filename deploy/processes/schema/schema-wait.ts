import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "mongodb";
import { isMongoUnavailable } from "../../../base/failures/mongo.ts";
import type { Log } from "../../../base/log.ts";
import { connectForMaintenance } from "../../../store/mongo/driver/connect.ts";
import { restoresIn } from "../../../store/mongo/host/restores.ts";
import { isSchemaComplete } from "../../../store/mongo/schema/migrate.ts";

const CHECK_EVERY_MS = 2_000;

/**
 * Resolves when the database's schema is complete. It is, at nearly every start; a worker that is started while another host migrates, or
 * after an older backup was restored, or before `npm run restored` is finished, waits here, and calls `waiting` each time that it has
 * looked.
 */
export async function schemaComplete(
  mongo: { url: string; database: string },
  { log, waiting }: { log: Log; waiting: () => void },
): Promise<void> {
  // While an index of it is being built, a collection may answer later than requests may wait.
  const { db, close } = await connectForMaintenance(mongo);
  try {
    if (await isComplete(db)) return;
    log.info("database incomplete: worker waits");
    do {
      waiting();
      await pause(CHECK_EVERY_MS);
    } while (!(await isComplete(db).catch(notWhileAway)));
    log.info("database complete: worker goes on");
  } finally {
    await close();
  }
}

/** Also no restore is unfinished: a worker that finds none is connected, so that `npm run restored` finds it. */
const isComplete = async (db: Db): Promise<boolean> =>
  (await restoresIn(db).unfinished()) === null && (await isSchemaComplete(db));

/** An election ends no wait that may take hours. */
function notWhileAway(err: unknown): boolean {
  if (!isMongoUnavailable(err)) throw err;
  return false;
}
