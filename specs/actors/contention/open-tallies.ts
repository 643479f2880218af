import { systemClock } from "../../../store/clock.ts";
import { newId } from "../../../store/ids.ts";
import { migrate } from "../../../store/mongo/layout/migrate.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { openStores } from "../../support/stores.ts";
import { RECORDS } from "./tally.ts";

/** An empty database for tallies, gone again with `close`. */
export async function openTallies() {
  const database = `livecore_tallies_${process.pid}_${newId().slice(-6)}`;
  const { mongo, close } = await openStores(database);
  await migrate(mongo, { clock: systemClock, log: quietLog() });
  await mongo.db.createCollection(RECORDS);
  return {
    database,
    mongo,
    async close(): Promise<void> {
      await mongo.db.dropDatabase();
      await close();
    },
  };
}
