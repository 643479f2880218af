// `npm run check`: all checks of the project that don't run it.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, projectRoot, SetUpError } from "../../deploy/install.mjs";
import { staleFiles } from "./generate.mjs";
import { importFaults } from "./import-direction.mjs";
import { node } from "./run.mjs";

const bin = (path) => join(projectRoot, "node_modules", path);

/** More would check much of it twice: on two cores four take as long as one, and compute more than twice as much. */
const ONE_CHECKER = ["--checkers", "1"];

/** Each returns faults in words: none when the check passes. */
const CHECKS = [
  ["types", async () => faultsOf(await node([bin("typescript/bin/tsc"), "-p", ".", ...ONE_CHECKER]))],
  [
    "the client's types, by themselves",
    async () => faultsOf(await node([bin("typescript/bin/tsc"), "-p", "clients/typescript", "--noEmit"])),
  ],
  [
    "types of the pages",
    async () => {
      await installed(join(projectRoot, "web"));
      return faultsOf(await node([bin("typescript/bin/tsc"), "-p", "web"]));
    },
  ],
  [
    "lint and format",
    async () => faultsOf(await node([bin("@biomejs/biome/bin/biome"), "check", "--max-diagnostics=50", "."])),
  ],
  [
    "import direction",
    async () => {
      const { modules, faults } = importFaults(projectRoot);
      return modules === 0 ? ["no module was seen"] : faults;
    },
  ],
  [
    "exports that nobody imports",
    async () => {
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

/** Checks that only read, side by side. @returns {Promise<{ passed: number, failed: number }>} */
export const checkSources = () => reported(CHECKS);

/** Generates again what is generated. @returns {Promise<{ passed: number, failed: number }>} */
export const checkGenerated = () => reported([["generated files are up to date", staleFiles]]);

async function reported(checks) {
  const result = { passed: 0, failed: 0 };
  async function take([name, run]) {
    const startedAt = performance.now();
    const faults = await run();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (faults.length === 0) result.passed++;
    else result.failed++;
    console.log(`${faults.length === 0 ? "ok     " : "FAILED "} ${name} (${seconds} s)`);
    for (const fault of faults) console.log(fault.replaceAll(/^/gm, "        "));
  }
  await Promise.all(checks.map(take));
  return result;
}

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
