import { processEnvironment } from "./config/environment.ts";
import { primaryOptions } from "./primary/options.ts";
import { runPrimary } from "./primary/primary.ts";

const here = { program: import.meta.url, processes: "./processes" };
process.exit(await runPrimary(primaryOptions(processEnvironment(), here)));
