import { type Db, MongoServerError } from "mongodb";
import { COLLECTIONS } from "../collections.ts";
import type { Migration } from "./migration.ts";

const NAMESPACE_EXISTS = 48;

/** Creates every collection with its indexes: a transaction that would create one by its first write conflicts. */
export const collections: Migration = {
  number: 1,
  name: "collections",
  async run(db) {
    for (const [name, indexes] of Object.entries(COLLECTIONS)) {
      await createCollection(db, name);
      if (indexes.length > 0) await db.collection(name).createIndexes([...indexes]);
    }
  },
};

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (err) {
    if (!(err instanceof MongoServerError) || err.code !== NAMESPACE_EXISTS) throw err;
  }
}
