import { type Db, MongoClient, ReadConcern } from "mongodb";
import "./closed-sockets.ts";

export type Mongo = {
  client: MongoClient;
  db: Db;
  /** By which the server tells our connections to this database from all others. */
  appName: string;
  ping(): Promise<void>;
  close(): Promise<void>;
};

const SOCKET_MS = 3_000;
const CONNECT_MS = 2_000;
const WAIT_QUEUE_MS = 4_000;

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
  /** How long a connection may wait for an answer, ms: 3 s, more for long work that no request waits for. */
  socketTimeoutMs?: number;
  /** Whether the driver sends a write again whose answer was lost; as the URL says, else it does. */
  retryWrites?: boolean;
  /** Whether the client emits events of its commands; off by default. */
  monitorCommands?: boolean;
}): Promise<Mongo> {
  const appName = `livecore ${options.database}`;
  const client = new MongoClient(options.url, {
    appName,
    writeConcern: { w: "majority", journal: true },
    readConcern: { level: ReadConcern.MAJORITY },
    serverSelectionTimeoutMS: options.selectionTimeoutMs,
    maxPoolSize: options.maxPoolSize,
    // With a server that hangs every operation ends within these, also where the driver tries again by itself.
    socketTimeoutMS: options.socketTimeoutMs ?? SOCKET_MS,
    ...(options.retryWrites === undefined ? {} : { retryWrites: options.retryWrites }),
    connectTimeoutMS: CONNECT_MS,
    waitQueueTimeoutMS: WAIT_QUEUE_MS,
    ignoreUndefined: true,
    monitorCommands: options.monitorCommands ?? false,
  });
  await client.connect();
  const db = client.db(options.database);
  return {
    client,
    db,
    appName,
    ping: async () => void (await db.command({ ping: 1 })),
    close: () => client.close(),
  };
}

/** Nightly checks bound their reads themselves, by less than this. */
const MAINTENANCE_SOCKET_MS = 60_000;

/**
 * A connection for long work that no request waits for, beside the one that requests use. `socketTimeoutMs`
 * is a minute unless given; 0 waits for as long as it takes.
 */
export const connectForMaintenance = (
  mongo: { url: string; database: string },
  socketTimeoutMs = MAINTENANCE_SOCKET_MS,
): Promise<Mongo> => connectMongo({ ...mongo, selectionTimeoutMs: 3_000, maxPoolSize: 4, socketTimeoutMs });
