import type { Db } from "mongodb";
import { startAbandonedTransactions } from "../jobs/abandoned-transactions/sweep.ts";
import { startChatArchive } from "../jobs/chat-archive/chat-archive.ts";
import { startUpgrades } from "../jobs/machine-versions/upgrade.ts";
import { startOutboxRelay } from "../jobs/outbox-relay/relay.ts";
import { startStreamPlaces } from "../jobs/stream-lists/places.ts";
import { startTimerSweeper } from "../jobs/timers/sweeper.ts";
import { startUpkeep } from "../jobs/upkeep.ts";
import { startViewerCounts } from "../jobs/viewer-counts/sweep.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import { listedStreamsIn } from "../store/mongo/listed-streams.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import type { Core } from "./core.ts";
import type { Life } from "./lifecycle.ts";

type Deps = {
  core: Core;
  life: Life;
  /** Opens a connection of its own that waits through an absence. */
  blockingRedis(): RedisConnection;
  /** Opens a connection of its own that waits for long reads. */
  maintenanceMongo(): Promise<Mongo>;
  /** The database by connections with more patience than requests have. */
  archiveDb: Db;
};

/** Starts everything that runs later. */
export async function runJobs({ core, life, blockingRedis, maintenanceMongo, archiveDb }: Deps) {
  const { mongo, clock, host, outbox, streams, presence } = core;
  const log = core.log.child({ area: "jobs" });
  const stop = (part: { stop(): Promise<void> }) => part.stop();

  await life.start("abandoned transactions", () => startAbandonedTransactions({ mongo, log }), stop);
  const timers = await life.start("timers", () => startTimerSweeper({ host, mongo, clock, log }), stop);
  const relay = await life.start("outbox relay", () => startOutboxRelay({ outbox, log }), stop);
  const counts = await life.start(
    "viewer counts",
    () => startViewerCounts({ streams, presence, observed: core.broadcasts.sample, log }),
    stop,
  );
  const places = await life.start(
    "stream lists",
    () => startStreamPlaces({ streams: listedStreamsIn(mongo.db), clock, log }),
    stop,
  );
  await life.start(
    "machine versions",
    () => startUpgrades({ host, machines: core.machines, mongo, redis: core.redis, clock, log }),
    stop,
  );
  await life.start("chat archive", () => startChatArchive({ redis: core.redis, db: archiveDb, log }), stop);
  const { db } = await life.start("maintenance mongo", maintenanceMongo, (opened) => opened.close());
  const upkeep = await life.start(
    "upkeep",
    () => startUpkeep({ connection: blockingRedis, db, clock, log }),
    stop,
  );
  return { timers, relay, counts, places, upkeep };
}
