import type { Db } from "mongodb";
import { restoresIn } from "../../../store/mongo/host/restores.ts";
import { StartError } from "../process/start-error.ts";

/** Throws a StartError while `npm run restored` runs, or was interrupted: what has to be held would go out, and Redis is ahead. */
export async function requireRestoreFinished(db: Db): Promise<void> {
  const backupTime = await restoresIn(db).unfinished();
  if (backupTime === null) return;
  throw new StartError(
    `npm run restored for the backup of ${backupTime} isn't finished. If it doesn't run, run it again before the start.`,
  );
}
