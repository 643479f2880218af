import { fileURLToPath } from "node:url";
import { processEnvironment } from "./config/environment.ts";
import { runPrimary } from "./primary/primary.ts";

process.title = "livecore primary";

// The terminal may be gone while a stop still has things to say; there is nowhere left to say them.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const fromTypeScript = import.meta.url.endsWith(".ts");
const extension = fromTypeScript ? "ts" : "js";

process.exit(
  await runPrimary({
    env: processEnvironment(),
    say: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`\n${line}\n`),
    entry: (kind) => fileURLToPath(new URL(`./processes/${kind}.${extension}`, import.meta.url)),
    execArgv: fromTypeScript ? ["--import", import.meta.resolve("tsx")] : ["--enable-source-maps"],
  }),
);
