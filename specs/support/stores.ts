import type { Redis } from "ioredis";
import { processClock } from "../../base/clock.ts";
import { connectForMaintenance, connectMongo, type Mongo } from "../../store/mongo/driver/connect.ts";
import { migrate } from "../../store/mongo/schema/migrate.ts";
import { connectBlockingRedis, connectRedis } from "../../store/redis/connect.ts";
import { quietLog } from "./quiet-log.ts";

const PATIENT_MS = 20_000;

export type Stores = {
  mongo: Mongo;
  redis: Redis;
  blockingRedis(): Redis;
  maintenanceMongo(): Promise<Mongo>;
  close(): Promise<void>;
};

/**
 * Opens the real stores that the test runner started (MONGODB_URL, REDIS_URL), with a database of this process; `own` names
 * stores that the spec has started itself. The caller closes it; `close` also closes all blocking connections that were handed
 * out, but not a `maintenanceMongo`. Timeouts are as short as in production only on a spec's own MongoDB, which the spec may
 * stop: the shared one also builds indexes and drops databases for others, and may be slow.
 */
export async function openStores(
  database = `livecore_spec_${process.pid}`,
  own: {
    mongodbUrl?: string;
    redisUrl?: string;
    selectionTimeoutMs?: number;
    monitorCommands?: boolean;
  } = {},
): Promise<Stores> {
  const REDIS_URL = own.redisUrl ?? process.env.REDIS_URL;
  const MONGODB_URL = own.mongodbUrl ?? process.env.MONGODB_URL;
  if (!MONGODB_URL || !REDIS_URL) {
    throw new Error("Specs need MONGODB_URL and REDIS_URL; `npm test` starts both and sets them.");
  }
  const failures: Error[] = [];
  const onError = (err: Error) => void (failures.length < 20 && failures.push(err));
  const mongo = await connectMongo({
    url: MONGODB_URL,
    database,
    selectionTimeoutMs: own.selectionTimeoutMs ?? 5_000,
    maxPoolSize: 50,
    monitorCommands: own.monitorCommands ?? false,
    ...(own.mongodbUrl === undefined && { socketTimeoutMs: PATIENT_MS }),
  });
  const redis = connectRedis({ url: REDIS_URL, deadlineMs: 1_000, onError });
  await redis.connect();
  const readers: Redis[] = [];
  return {
    mongo,
    redis,
    blockingRedis() {
      const reader = connectBlockingRedis({ url: REDIS_URL, onError });
      readers.push(reader);
      return reader;
    },
    maintenanceMongo: () => connectForMaintenance({ url: MONGODB_URL, database }),
    async close() {
      for (const connection of [redis, ...readers]) connection.disconnect();
      await mongo.close();
    },
  };
}

/** Databases that this process has migrated. */
const complete = new Set<string>();

/** Migrates the database. Only once per process, since checking every collection costs more than most specs. */
export async function completed(mongo: Mongo): Promise<void> {
  const { db } = mongo;
  // A spec may have dropped it meanwhile.
  if (complete.has(db.databaseName) && (await db.collection("migrations").findOne()) !== null) return;
  await migrate(mongo, { clock: processClock, log: quietLog() });
  complete.add(db.databaseName);
}
