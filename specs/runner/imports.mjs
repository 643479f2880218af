// Tries the rules of .dependency-cruiser.mjs on every module. Fails as well when no module was seen, since a check that can't
// read our files would otherwise be green.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectRoot } from "../../deploy/installation/install.mjs";
import { node } from "./run.mjs";

const CRUISE = join(projectRoot, "tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
const RULES = join(projectRoot, ".dependency-cruiser.mjs");
const NOT_CRUISED = new Set(["node_modules", "dist", "docs", "coverage", "tools"]);

/**
 * `run` is that of run.mjs, or one that ends with the caller's run.
 * @returns {Promise<{ code: number | null, output: string }>} `code` is 0 when all rules hold.
 */
export async function cruise(root, run = node) {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !NOT_CRUISED.has(entry.name))
    .map(({ name }) => name);
  const { code, output } = await run([CRUISE, "--config", RULES, "--no-progress", ...folders], { cwd: root });
  const seen = /([1-9]\d*) modules/.exec(output);
  return seen === null ? { code: 1, output: `No module was seen.\n${output}` } : { code, output };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { code, output } = await cruise(process.argv[2] ?? projectRoot);
  console.log(output);
  process.exitCode = code ?? 1;
}
