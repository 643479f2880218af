import { newId } from "../../base/ids.ts";
import { openStores, type Stores } from "../support/stores.ts";

/** The specs' store has as little cache as suits a laptop; one with a million users needs more. */
const CACHE = "2G";
const USUAL_CACHE = "512M";

/** Runs it on a separate database, in a store with the cache of a large platform. */
export async function inLargeStore<T>(name: string, run: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(`livecore_${name}_${process.pid}_${newId().slice(-6)}`);
  try {
    await giveCache(stores, CACHE);
    return await run(stores);
  } finally {
    await stores.mongo.db.dropDatabase();
    await giveCache(stores, USUAL_CACHE);
    await stores.close();
  }
}

/** Resolves once the data is on disk, so that writing it doesn't disturb the measurement. */
export async function settled({ mongo }: Stores): Promise<void> {
  await mongo.db.client.db("admin").command({ fsync: 1 });
}

async function giveCache({ mongo }: Stores, size: string): Promise<void> {
  const config = `cache_size=${size}`;
  await mongo.db.client.db("admin").command({ setParameter: 1, wiredTigerEngineRuntimeConfig: config });
}
