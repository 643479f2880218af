import { openCore } from "../open-core.ts";
import { runJobs } from "../run-jobs.ts";
import { runWorker } from "../worker.ts";

runWorker("jobs", async ({ config, log, life, metrics }) => {
  const { core, blockingRedis } = await openCore({ config, log, life, metrics });
  await runJobs({ core, life, blockingRedis });
});
