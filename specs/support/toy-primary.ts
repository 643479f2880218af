/** The real primary with toy workers. */
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { runPrimary } from "../../deploy/processes/primary/primary.ts";

process.title = "livecore toy primary";
const { TOY_WORKER: worker, TOY_READY_WITHIN_MS: readyWithinMs } = process.env;
if (!worker) throw new Error("TOY_WORKER names the module of the workers.");

process.exit(
  await runPrimary({
    env: processEnvironment(),
    say: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    entry: () => worker,
    passes: ["TOY_API", "TOY_REALTIME", "TOY_JOBS", "TOY_SCHEMA"],
    execArgv: [],
    ...(readyWithinMs === undefined ? {} : { readyWithinMs: Number(readyWithinMs) }),
  }),
);
