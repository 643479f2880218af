import { fileURLToPath } from "node:url";
import type { Environment } from "../config/environment.ts";
import type { PrimaryOptions } from "./primary.ts";

/**
 * For a primary that is this process, at whose terminal somebody may sit. `program` is the module that was started, and
 * `processes` the folder of its workers' modules, from there.
 */
export function primaryOptions(
  env: Environment,
  { program, processes }: { program: string; processes: string },
): PrimaryOptions {
  process.title = "livecore primary";
  // The terminal may be gone while a stop still has things to say; there is nowhere left to say them.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const fromTypeScript = program.endsWith(".ts");
  const extension = fromTypeScript ? "ts" : "js";
  return {
    env,
    say: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`\n${line}\n`),
    entry: (kind) => fileURLToPath(new URL(`${processes}/${kind}.${extension}`, program)),
    execArgv: fromTypeScript ? ["--import", import.meta.resolve("tsx")] : ["--enable-source-maps"],
  };
}
