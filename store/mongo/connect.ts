import { type ClientSession, type Db, MongoClient, ReadConcern } from "mongodb";

export type Mongo = { client: MongoClient; db: Db; ping(): Promise<void>; close(): Promise<void> };

/**
 * Connects with the durability that points and lifecycles need: majority and journal for writes,
 * majority for reads. Rejects when no primary answers within `serverSelectionTimeoutMS`.
 */
export async function connectMongo(options: {
  url: string;
  database: string;
  /** How long an operation may look for a primary, ms; requests fail with 503 after it. */
  selectionTimeoutMs: number;
  maxPoolSize: number;
}): Promise<Mongo> {
  const client = new MongoClient(options.url, {
    writeConcern: { w: "majority", journal: true },
    readConcern: { level: ReadConcern.MAJORITY },
    serverSelectionTimeoutMS: options.selectionTimeoutMs,
    maxPoolSize: options.maxPoolSize,
    ignoreUndefined: true,
  });
  await client.connect();
  const db = client.db(options.database);
  return {
    client,
    db,
    ping: async () => void (await db.command({ ping: 1 })),
    close: () => client.close(),
  };
}

/** The session in which a write takes part, or none for a write of its own. */
export type InSession = { session?: ClientSession };
