import { openArchiveMongo } from "./archive-mongo.ts";
import { openCore } from "./open-core.ts";
import { runJobs } from "./run-jobs.ts";
import { runWorker } from "./worker.ts";

runWorker("jobs", async (parts) => {
  const { core, blockingRedis, maintenanceMongo } = await openCore(parts);
  const { db: archiveDb } = await openArchiveMongo(parts);
  await runJobs({ core, lifecycle: parts.lifecycle, blockingRedis, maintenanceMongo, archiveDb });
});
