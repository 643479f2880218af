// `node specs/actors/host/versions/keep.mjs`: keeps, as files, a snapshot of every state of every machine version that has
// no files yet. Run it by hand once a machine's version was raised, and commit what it writes. What is kept is never
// written again: actors of a released version are stored like that for good. A version that was never released may be
// kept anew by deleting its folder first.
import { join } from "node:path";
import { projectRoot } from "../../../../deploy/installation/install.mjs";
import { readyToRun } from "../../../../deploy/installation/node-runtime.mjs";
import { node } from "../../../runner/run.mjs";
import { withStores } from "../../../runner/stores.mjs";

await readyToRun();
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort());
await withStores(async (env) => {
  const run = { env, show: true, signal: interrupted.signal };
  const { code } = await node(["--import", "tsx", "specs/actors/host/versions/keep.ts"], run);
  process.exitCode = code ?? 1;
}, interrupted.signal);
const biome = join(projectRoot, "node_modules/@biomejs/biome/bin/biome");
await node([biome, "format", "--write", "specs/actors/host/versions/kept"]);
