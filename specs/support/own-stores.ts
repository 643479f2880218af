import { newId } from "../../base/ids.ts";
import { COLLECTIONS } from "../../store/mongo/generated/collections.ts";
import { starterCategories } from "../../store/mongo/schema/migrations/0004-starter-categories.ts";
import { completed, openStores, type Stores } from "./stores.ts";

/** Free databases of this process, migrated and empty, in the order in which they were returned. */
const free: string[] = [];
const EMPTIED_WITHIN_MS = 3_000;

/** Opens the stores with a migrated database of the spec's own, as a new service finds it; `close` returns it to the pool. */
export async function openOwnStores(): Promise<Stores> {
  const stores = await openStores(free.shift() ?? `livecore_spec_own_${process.pid}_${newId().slice(-6)}`);
  await completed(stores.mongo);
  return {
    ...stores,
    async close() {
      await giveBack(stores);
      await stores.close();
    },
  };
}

/** Takes such a database by name, for other processes: creating one costs as much as starting a worker. */
export async function takeDatabase(): Promise<{ name: string; giveBack(): Promise<void> }> {
  const stores = await openOwnStores();
  return { name: stores.mongo.db.databaseName, giveBack: () => stores.close() };
}

async function giveBack({ mongo: { db } }: Stores): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  try {
    await Promise.all(
      collections.map(({ name }) => {
        if (name === "migrations") return null;
        if (!COLLECTIONS.some((one) => one.name === name)) return db.dropCollection(name);
        return db.collection(name).deleteMany({}, { maxTimeMS: EMPTIED_WITHIN_MS });
      }),
    );
    await starterCategories.run(db);
    free.push(db.databaseName);
  } catch {
    // A killed process may have left a transaction whose documents can't be removed yet: this database isn't reused.
  }
}
