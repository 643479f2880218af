import type { Registry } from "prom-client";
import type { Audit } from "../store/audit.ts";
import { systemClock } from "../store/clock.ts";
import type { Log } from "../store/log.ts";
import { connectForMaintenance, connectMongo, type Mongo } from "../store/mongo/connect.ts";
import { migrate } from "../store/mongo/schema/migrate.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { openRedis, patientRedis } from "../store/redis/open.ts";
import type { Config } from "./config/config.ts";
import { type Core, createCore } from "./core.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { actorMetrics, watchMailboxes } from "./metrics/actors.ts";
import { type CountRefusal, refusalCounter } from "./metrics/refusals.ts";

/** A request waits no longer than this for a Redis that hangs, so that chat refuses within 250 ms in all. */
const REDIS_DEADLINE_MS = 150;

export type Opened = {
  mongo: Mongo;
  core: Core;
  blockingRedis(): RedisConnection;
  /** One more connection to MongoDB, for what takes longer than requests may wait. */
  maintenanceMongo(): Promise<Mongo>;
  /** Counts what this worker refuses itself; rooms count by themselves. */
  refused: CountRefusal;
};

/** Connects a worker to both stores and starts the domain on them; `lifecycle` closes all of it again. */
export async function openCore(deps: {
  config: Config;
  log: Log;
  audit: Audit;
  lifecycle: Lifecycle;
  metrics: Registry;
}): Promise<Opened> {
  const { config, log, audit, lifecycle, metrics } = deps;
  const refused = refusalCounter(metrics);
  const onError = (err: Error) =>
    log.warn({ err: err.message }, "a connection to Redis failed; it is tried again");
  const mongo = await lifecycle.start(
    "mongo",
    () =>
      connectMongo({
        url: config.mongo.url,
        database: config.mongo.database,
        selectionTimeoutMs: 3_000,
        maxPoolSize: 50,
      }),
    (connected) => connected.close(),
  );
  await migrateOn({ ...config.mongo, log });
  const redis = await lifecycle.start(
    "redis",
    () => openRedis({ url: config.redis.url, deadlineMs: REDIS_DEADLINE_MS, onError }),
    (connection) => connection.disconnect(),
  );
  const core = await lifecycle.start(
    "core",
    async () => {
      const made = createCore({
        mongo,
        redis,
        log,
        audit,
        masterKey: config.secrets.masterKey.reveal(),
        ingestUrl: config.ingest.url,
        metrics: actorMetrics(metrics),
        onSendRefused: (code) => refused("admission", "send", code),
      });
      watchMailboxes(metrics, () => made.host.depth());
      await made.start();
      return made;
    },
    (made) => made.stop(),
  );
  return {
    mongo,
    core,
    blockingRedis: () => patientRedis({ url: config.redis.url, onError }),
    maintenanceMongo: () => connectForMaintenance(config.mongo),
    refused,
  };
}

/** By a connection of its own: making an index may take longer than requests may wait for an answer. */
async function migrateOn({ log, ...mongo }: { url: string; database: string; log: Log }): Promise<void> {
  const patient = await connectForMaintenance(mongo, 0);
  try {
    await migrate(patient, { clock: systemClock, log });
  } finally {
    await patient.close();
  }
}
