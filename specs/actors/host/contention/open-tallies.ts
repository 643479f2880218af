import { openOwnStores } from "../../../support/own-stores.ts";
import { RECORDS } from "./tally.ts";

/** Opens an empty database for tallies, which `close` releases. */
export async function openTallies() {
  const { mongo, close } = await openOwnStores();
  await mongo.db.createCollection(RECORDS);
  return { database: mongo.db.databaseName, mongo, close };
}
