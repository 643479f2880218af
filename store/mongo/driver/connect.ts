import { type Db, MongoClient, ReadConcern } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import "./closed-sockets.ts";

export type Mongo = {
  client: MongoClient;
  db: Db;
  /** By this the server can tell our connections to this database from all others. */
  appName: string;
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** The application name by which workers connect to that database. */
export const workersNameOn = (database: string): string => `livecore ${database}`;

const SOCKET_MS = 3_000;
const CONNECT_MS = 2_000;
const WAIT_QUEUE_MS = 4_000;
/**
 * Each member says this often that it is there. One that is silent for CONNECT_MS more is given up: no operation waits for it any
 * longer, and no connection to it is used again. Packets may be dropped for minutes before a socket notices by itself.
 */
const HEARTBEAT_MS = 1_000;

/**
 * Connects with the durability that points and lifecycles need: majority and journal for writes,
 * majority for reads. Rejects when no primary replies within `selectionTimeoutMs`.
 */
export async function connectMongo(options: {
  url: string;
  database: string;
  /** How long an operation may wait for a primary, ms; after that requests fail with 503. */
  selectionTimeoutMs: number;
  maxPoolSize: number;
  /** How long a connection may wait for a reply, ms: 3 s by default, longer for background work. */
  socketTimeoutMs?: number;
  /** How long an operation may wait for a connection of the pool, ms: 4 s by default. */
  poolWaitMs?: number;
  /** Whether the driver retries a write whose reply was lost; default: as the URL says, else true. */
  retryWrites?: boolean;
  /** Whether the client emits command events; off by default. */
  monitorCommands?: boolean;
  /** Default: that of the service's workers. */
  appName?: string;
}): Promise<Mongo> {
  const { appName = workersNameOn(options.database) } = options;
  const client = new MongoClient(options.url, {
    appName,
    writeConcern: { w: "majority", journal: true },
    readConcern: { level: ReadConcern.MAJORITY },
    serverSelectionTimeoutMS: options.selectionTimeoutMs,
    maxPoolSize: options.maxPoolSize,
    // If a server hangs, every operation ends within these limits, even with the driver's own retries.
    socketTimeoutMS: options.socketTimeoutMs ?? SOCKET_MS,
    ...(options.retryWrites === undefined ? {} : { retryWrites: options.retryWrites }),
    connectTimeoutMS: CONNECT_MS,
    // Work that may wait for a slow server keeps the driver's 10 s, since giving a member up interrupts all that runs on it.
    ...(options.socketTimeoutMs === undefined ? { heartbeatFrequencyMS: HEARTBEAT_MS } : {}),
    waitQueueTimeoutMS: options.poolWaitMs ?? WAIT_QUEUE_MS,
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

/** Nightly checks limit their reads themselves, to less than this. */
const MAINTENANCE_SOCKET_MS = MINUTE_MS;

/**
 * A separate connection for long-running work that no request waits for. `socketTimeoutMs` defaults to a minute; 0 means no
 * limit.
 */
export const connectForMaintenance = (
  mongo: { url: string; database: string },
  socketTimeoutMs = MAINTENANCE_SOCKET_MS,
): Promise<Mongo> => connectMongo({ ...mongo, selectionTimeoutMs: 3_000, maxPoolSize: 4, socketTimeoutMs });
