import { createDemoEvening } from "./development/evening/demo-evening.ts";
import { processEnvironment } from "./processes/config/environment.ts";
import { primaryOptions } from "./processes/primary/options.ts";
import { runPrimary } from "./processes/primary/primary.ts";

const here = { program: import.meta.url, processes: "./processes/workers" };
const options = primaryOptions(processEnvironment(), here);
process.exit(await runPrimary({ ...options, demoEvening: createDemoEvening }));
