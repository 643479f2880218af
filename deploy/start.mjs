// The entry point from a fresh clone, with nothing but Node: installs what the lock file names, builds what has changed,
// then runs
// the service (or `--run <module>`) in this same process, so that signals reach it directly.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./installation/build.mjs";
import { buildWeb } from "./installation/build-web.mjs";
import { projectRoot, SetUpError } from "./installation/install.mjs";
import { readyToRun } from "./installation/node-runtime.mjs";

const SERVICE = "deploy/main";
/** It talks to a service that runs already, here or elsewhere; all others may start the stores. */
const DEMO = "deploy/development/demo/main";
const USAGE = `Usage: npm start, or npm run dev (runs the sources without a build)

Installs what is missing, builds, starts the stores that aren't given, completes the database's schema, and runs the service until
SIGINT (Ctrl-C), SIGTERM or SIGHUP. SIGUSR2 replaces its workers. Send signals to the service's own process, which the pid file names
(livecore.pid in LIVECORE_HOME, or PID_FILE), and not to npm. Settings are environment variables: docs/configuration.md.

  --help  shows this and starts nothing

npm run migrate completes the schema alone; npm run demo shows an evening on a running service.`;

// Until the service handles it, the signal would end this process.
process.on("SIGUSR2", () => undefined);
process.exitCode = await start(process.argv.slice(2));

async function start(args) {
  const { dev, module, rest } = parse(args);
  // Other modules explain their own arguments.
  if (module === SERVICE && rest.length > 0) {
    const isQuestion = rest.some((arg) => arg === "--help" || arg === "-h");
    if (isQuestion) console.log(USAGE);
    else console.error(`There is no argument ${rest.join(" ")}.\n\n${USAGE}`);
    return isQuestion ? 0 : 2;
  }
  try {
    await readyToRun({ withStores: module !== DEMO });
    await (dev ? buildWeb() : build());
  } catch (err) {
    if (!(err instanceof SetUpError)) throw err;
    console.error(`\n${err.message}`);
    return 1;
  }

  const entry = join(projectRoot, dev ? `${module}.ts` : `dist/${module}.js`);
  if (!existsSync(entry)) {
    console.error(`There is no ${module} to run.`);
    return 1;
  }
  // The module sees its own arguments, as if it had been started directly.
  process.argv = [process.argv[0], entry, ...rest];
  if (dev) (await import("tsx/esm/api")).register();
  else process.setSourceMapsEnabled(true);
  await import(pathToFileURL(entry).href);
  return process.exitCode;
}

function parse(args) {
  let dev = false;
  let module = SERVICE;
  const rest = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--dev") dev = true;
    else if (args[i] === "--run" && args[i + 1]) module = args[++i].replace(/\.(ts|js)$/, "");
    else rest.push(args[i]);
  }
  return { dev, module, rest };
}
