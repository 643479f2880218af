import type { Db } from "mongodb";
import { JOBS, type JobDeps, type Jobs } from "../jobs/jobs.ts";
import type { Mongo } from "../store/mongo/connect.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import type { Core } from "./core.ts";
import type { Lifecycle } from "./process/lifecycle.ts";

type Deps = {
  core: Core;
  lifecycle: Lifecycle;
  /** Opens a connection of its own that waits through an absence. */
  blockingRedis(): RedisConnection;
  /** Opens a connection of its own that waits for long reads. */
  maintenanceMongo(): Promise<Mongo>;
  /** The database by connections with more patience than requests have. */
  archiveDb: Db;
};

/** Starts every job. */
export async function runJobs({
  core,
  lifecycle,
  blockingRedis,
  maintenanceMongo,
  archiveDb,
}: Deps): Promise<Jobs> {
  const log = core.log.child({ area: "jobs" });
  const maintenance = await lifecycle.start("maintenance mongo", maintenanceMongo, (opened) =>
    opened.close(),
  );
  const deps: JobDeps = { ...core, log, blockingRedis, archiveDb, maintenanceDb: maintenance.db };
  const stop = (job: { stop(): Promise<void> }) => job.stop();
  const started: [string, unknown][] = [];
  for (const [name, start] of Object.entries(JOBS)) {
    started.push([name, await lifecycle.start(name, async () => start(deps), stop)]);
  }
  // Each under its name in JOBS.
  return Object.fromEntries(started) as Jobs;
}
