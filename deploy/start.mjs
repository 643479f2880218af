// The entry point from a fresh clone, with nothing but Node: installs what the lock file names, builds what has changed,
// then runs
// the service (or `--run <module>`) in this same process, so that signals reach it directly.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { buildWeb } from "./build-web.mjs";
import { projectRoot, SetUpError } from "./install.mjs";
import { readyToRun } from "./node-runtime.mjs";

process.exitCode = await start(process.argv.slice(2));

async function start(args) {
  const { dev, module, rest } = parse(args);
  try {
    await readyToRun();
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
  let module = "deploy/main";
  const rest = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--dev") dev = true;
    else if (args[i] === "--run" && args[i + 1]) module = args[++i].replace(/\.(ts|js)$/, "");
    else rest.push(args[i]);
  }
  return { dev, module, rest };
}
