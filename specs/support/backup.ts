import type { Redis } from "ioredis";
import type { Db } from "mongodb";

/** Copies all documents of a database; returns a function that puts the database back to it. Indexes stay as they are. */
export async function backUpDatabase(db: Db): Promise<() => Promise<void>> {
  const copied = await Promise.all(
    (await db.collections()).map(async (collection) => ({
      name: collection.collectionName,
      documents: await collection.find().toArray(),
    })),
  );
  return async () => {
    await Promise.all((await db.collections()).map((collection) => collection.deleteMany({})));
    for (const { name, documents } of copied) {
      // A service that runs may have written one of them again.
      const puts = documents.map((doc) => ({
        replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true },
      }));
      if (puts.length > 0) await db.collection(name).bulkWrite(puts, { ordered: false });
    }
  };
}

/** Copies all keys of a server that nobody else uses; returns a function that puts it back to them. */
export async function backUpRedis(redis: Redis): Promise<() => Promise<void>> {
  const copied = await Promise.all(
    (await redis.keys("*")).map(async (key) => {
      const [value, ttlMs] = await Promise.all([redis.dumpBuffer(key), redis.pttl(key)]);
      return { key, value, ttlMs };
    }),
  );
  return async () => {
    await redis.flushall();
    for (const { key, value, ttlMs } of copied)
      if (value !== null) await redis.restore(key, Math.max(0, ttlMs), value);
  };
}
