// `npm run spec -- specs/a.spec.ts specs/folder …`: these spec files alone, by mocha, on throwaway stores: no checks and no
// build but that of changed pages, so that it starts within seconds. What follows `--` goes to mocha (`-g "part of a title"`);
// files and folders stand before its options.
import { join } from "node:path";
import { buildWeb } from "../../deploy/installation/build-web.mjs";
import { installed, isExpected, projectRoot, SetUpError } from "../../deploy/installation/install.mjs";
import { specFiles } from "./lanes.mjs";
import { node } from "./run.mjs";
import { withStores } from "./stores.mjs";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort(signal));
const given = process.argv.slice(2);
const firstOption = given.findIndex((arg) => arg.startsWith("-"));
const named = firstOption === -1 ? given : given.slice(0, firstOption);

try {
  if (named.length === 0)
    throw new SetUpError(
      "say which spec files or folders: npm run spec -- specs/api/channels/social/blocks.spec.ts",
    );
  // Mocha itself finds no files of ours in a folder, and leaves out a missing file without failing.
  const args = [...specFiles(named), ...given.slice(named.length)];
  await installed(projectRoot);
  await buildWeb();
  const run = async (env) => {
    const mocha = join(projectRoot, "node_modules/mocha/bin/mocha.js");
    // Without a deadline: each spec has its own, and Ctrl-C ends all of them.
    const options = { env, show: true, deadlineMs: null, signal: interrupted.signal };
    const { code } = await node([mocha, "--exit", "--fail-zero", ...args], options);
    process.exitCode = code ?? 1;
  };
  await withStores(run, interrupted.signal, { inMemory: true });
} catch (err) {
  console.error(isExpected(err) ? `\n${err.message}` : err);
  process.exitCode = 1;
}
