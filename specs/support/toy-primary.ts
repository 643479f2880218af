/** The real primary with toy workers. */
import { fileURLToPath } from "node:url";
import { processEnvironment } from "../../deploy/config/environment.ts";
import { runPrimary } from "../../deploy/primary/primary.ts";

process.title = "livecore toy primary";
const worker = fileURLToPath(new URL("./toy-worker.ts", import.meta.url));

process.exit(
  await runPrimary({
    env: processEnvironment(),
    say: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    entry: () => worker,
    execArgv: ["--import", import.meta.resolve("tsx")],
  }),
);
