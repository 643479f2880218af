import { fileURLToPath } from "node:url";
import type { Environment } from "../config/environment.ts";
import { standardOutput } from "../process/standard-output.ts";
import type { PrimaryOptions } from "./bring-up.ts";

/**
 * Options for running the primary in this process, possibly at a terminal. `program` is the URL of the module that was started,
 * and `processes` the folder of the workers' modules, relative to it.
 */
export function primaryOptions(
  env: Environment,
  { program, processes }: { program: string; processes: string },
): PrimaryOptions {
  process.title = "livecore primary";
  // The terminal may be gone while a stop still prints; those lines are dropped.
  process.stderr.on("error", () => undefined);
  const output = standardOutput();
  const fromTypeScript = program.endsWith(".ts");
  const extension = fromTypeScript ? "ts" : "js";
  return {
    env,
    say: (line) => output.write(`${line}\n`),
    complain: (line) => process.stderr.write(`\n${line}\n`),
    entry: (kind) => fileURLToPath(new URL(`${processes}/${kind}.${extension}`, program)),
    execArgv: fromTypeScript ? ["--import", import.meta.resolve("tsx")] : ["--enable-source-maps"],
  };
}
