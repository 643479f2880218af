// `npm run bench -- actors|rooms|rest [part …] [--save]`: measures beside baselines in the same run, on throwaway stores;
// the service's own processes are built ones. `--save` puts the result into bench/RESULTS.md.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "../deploy/installation/build.mjs";
import { isExpected, projectRoot } from "../deploy/installation/install.mjs";
import { readyToRun } from "../deploy/installation/node-runtime.mjs";
import { node } from "../specs/runner/run.mjs";
import { withStores } from "../specs/runner/stores.mjs";

const WITHIN_MS = 120 * 60_000;
const SUITES = ["actors", "rooms", "rest"];

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort());

async function main([suite, ...rest]) {
  const entry = join("bench", suite ?? "", "main.ts");
  if (!SUITES.includes(suite) || !existsSync(join(projectRoot, entry))) {
    console.error(`Say what to measure: npm run bench -- ${SUITES.join(" | ")}`);
    return 2;
  }
  await readyToRun();
  await build();
  let code = 1;
  await withStores(async (env) => {
    const run = { env, show: true, deadlineMs: WITHIN_MS, signal: interrupted.signal };
    ({ code } = await node(["--import", "tsx", entry, ...rest], run));
  }, interrupted.signal);
  return code ?? 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (err) {
  if (!isExpected(err)) throw err;
  console.error(`\n${err.message}`);
  process.exitCode = 1;
}
