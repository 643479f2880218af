import type { Db } from "mongodb";
import { JOBS, type JobDeps, type Jobs } from "../../../jobs/jobs.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import type { Core } from "./core.ts";

type Deps = {
  core: Core;
  lifecycle: Lifecycle;
  /** Opens a separate connection for blocking commands, which waits while Redis is away. */
  blockingRedis(): RedisConnection;
  /** Opens a separate connection for long reads. */
  maintenanceMongo(): Promise<Mongo>;
  /** The database over connections with longer timeouts than requests have. */
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
  return Object.fromEntries(started) as Jobs;
}
