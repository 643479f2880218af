import { processEnvironment } from "./config/environment.ts";
import { createDemoEvening } from "./evening/demo-evening.ts";
import { primaryOptions } from "./primary/options.ts";
import { runPrimary } from "./primary/primary.ts";

const here = { program: import.meta.url, processes: "./processes" };
const options = primaryOptions(processEnvironment(), here);
process.exit(await runPrimary({ ...options, demoEvening: createDemoEvening }));
