import { openOwnStores } from "../../support/own-stores.ts";
import { RECORDS } from "./tally.ts";

/** An empty database for tallies, gone again with `close`. */
export async function openTallies() {
  const { mongo, close } = await openOwnStores();
  await mongo.db.createCollection(RECORDS);
  return { database: mongo.db.databaseName, mongo, close };
}
