// `npm run check`: all checks of the project that don't run it.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { installed, projectRoot, SetUpError } from "../../deploy/installation/install.mjs";
import { staleFiles } from "./generate.mjs";
import { cruise } from "./imports.mjs";
import { node } from "./run.mjs";
import { slowRegexes } from "./slow-regexes.mjs";

const bin = (path) => join(projectRoot, "node_modules", path);

/** Beside the specs each takes a few minutes on a slow machine. */
const CHECK_WITHIN_MS = 15 * 60_000;

/** More would check much of it twice: on two cores four take as long as one, and compute more than twice as much. */
const ONE_CHECKER = ["--checkers", "1"];

/** Each returns faults in words: none when the check passes. `node` is that of run.mjs, which ends with the run. */
const CHECKS = [
  ["types", async (node) => faultsOf(await node([bin("typescript/bin/tsc"), "-p", ".", ...ONE_CHECKER]))],
  [
    "the client's types, by themselves",
    async (node) => faultsOf(await node([bin("typescript/bin/tsc"), "-p", "clients/typescript", "--noEmit"])),
  ],
  [
    "types of the pages",
    async (node) => {
      await installed(join(projectRoot, "web"));
      return faultsOf(await node([bin("typescript/bin/tsc"), "-p", "web"]));
    },
  ],
  [
    "lint and format",
    async (node) =>
      faultsOf(await node([bin("@biomejs/biome/bin/biome"), "check", "--max-diagnostics=50", "."])),
  ],
  [
    "imports by the map",
    async (node) => {
      await installed(join(projectRoot, "tools"));
      return faultsOf(await cruise(projectRoot, node));
    },
  ],
  [
    "regular expressions in linear time",
    async () => {
      await installed(join(projectRoot, "tools"));
      const { regexes, faults } = slowRegexes(projectRoot);
      return regexes === 0 ? ["no regular expression was seen"] : faults;
    },
  ],
  [
    "exports that nobody imports",
    async (node) => {
      await installed(join(projectRoot, "tools"));
      return faultsOf(
        await node([join(projectRoot, "tools/node_modules/knip/bin/knip.js"), "--no-progress"]),
      );
    },
  ],
];

/** Runs all checks and reports each result. @returns {Promise<{ passed: number, failed: number }>} */
export async function check() {
  const sources = await checkSources();
  // Not beside the others, since it writes files that they read.
  const generated = await checkGenerated();
  return { passed: sources.passed + generated.passed, failed: sources.failed + generated.failed };
}

/** Checks that only read, side by side; once the signal calls them off nothing more is reported. @returns {Promise<{ passed: number, failed: number }>} */
export const checkSources = (signal) => reported(CHECKS, signal);

/** Generates again what is generated. @returns {Promise<{ passed: number, failed: number }>} */
export const checkGenerated = () => reported([["generated files are up to date", staleFiles]]);

async function reported(checks, signal) {
  const result = { passed: 0, failed: 0 };
  async function take([name, run]) {
    const startedAt = performance.now();
    const faults = await run((args) => node(args, { deadlineMs: CHECK_WITHIN_MS, signal })).catch(asFaults);
    if (signal?.aborted) return;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (faults.length === 0) result.passed++;
    else result.failed++;
    console.log(`${faults.length === 0 ? "ok     " : "FAILED "} ${name} (${seconds} s)`);
    for (const fault of faults) console.log(fault.replaceAll(/^/gm, "        "));
  }
  await Promise.all(checks.map(take));
  return result;
}

/** What keeps one check from running is its fault, and the others go on. */
const asFaults = (err) => [err instanceof SetUpError ? err.message : format(err)];

const faultsOf = ({ code, output }) =>
  code === 0 ? [] : [output.trim() || (code === null ? "it didn't end in time" : `exit code ${code}`)];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await installed(projectRoot);
    process.exitCode = (await check()).failed === 0 ? 0 : 1;
  } catch (err) {
    if (!(err instanceof SetUpError)) throw err;
    console.error(err.message);
    process.exitCode = 1;
  }
}
