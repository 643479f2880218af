import { newId } from "../../store/ids.ts";
import { COLLECTIONS } from "../../store/mongo/generated/collections.ts";
import { starterCategories } from "../../store/mongo/schema/migrations/0004-starter-categories.ts";
import { completed, openStores, type Stores } from "./stores.ts";

/** Databases of this process that nobody uses, complete and empty, those longest that were given back first. */
const free: string[] = [];
const EMPTIED_WITHIN_MS = 3_000;

/** The stores with a complete database of the spec's own, as a new service finds it; `close` gives it back. */
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

/** Such a database by its name, for processes: making one costs as much as starting a worker. */
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
    // A process that was killed may have left a transaction whose documents can't be removed yet: nobody gets this one again.
  }
}
