// Runs spec files by mocha with coverage, and the few that failed a second time by themselves (decision 23).
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { projectRoot } from "../../deploy/install.mjs";
import { node } from "./run.mjs";

const SPECS_WITHIN_MS = 40 * 60_000;
const BROKEN_RUN = { passed: 0, failed: 1, skipped: 0 };
/** More files than this that fail aren't a matter of a loaded machine. */
const MOST_TRIED_AGAIN = 3;
const AREAS = ["api", "actors", "realtime", "store", "jobs", "deploy"];

/**
 * Runs the files on the stores that `env` names; what failed in at most three files runs once more, alone, and counts
 * as it ends then; its name is printed either way.
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function specs(files, env, signal) {
  const first = await run(files, env, signal);
  const failed = Object.keys(first.files).filter((file) => first.files[file].failed > 0);
  const isWorthATry =
    first.isWhole && failed.length > 0 && failed.length <= MOST_TRIED_AGAIN && !signal.aborted;
  if (!isWorthATry) return sum(first);
  console.log(`\nTrying again, alone: ${failed.map(named).join(", ")} …`);
  const second = await run(failed, env, signal);
  for (const file of failed) {
    const again = second.files[file] ?? BROKEN_RUN;
    console.log(`${again.failed > 0 ? "failed twice" : "passed at the second try"}: ${named(file)}`);
  }
  return sum({ isWhole: second.isWhole, files: { ...first.files, ...second.files } });
}

/** @returns `files`: counts by file; `isWhole`: it ended as mocha ends, with nothing left running. */
async function run(files, env, signal) {
  const folder = mkdtempSync(join(tmpdir(), "livecore-specs-"));
  const counts = join(folder, "counts.json");
  const bin = (path) => join(projectRoot, "node_modules", path);
  const coverage = [
    ...["--reporter", "text-summary", "--temp-directory", join(folder, "coverage"), "--exclude", "specs/**"],
    ...AREAS.flatMap((area) => ["--include", `${area}/**/*.ts`]),
  ];
  const mocha = [bin("mocha/bin/mocha.js"), "--reporter", "specs/runner/reporter.cjs", ...files];
  try {
    const { code } = await node([bin("c8/bin/c8.js"), ...coverage, process.execPath, ...mocha], {
      env: { ...env, SPEC_COUNTS: counts, SPEC_BUILD: "dist" },
      show: true,
      deadlineMs: SPECS_WITHIN_MS,
      signal,
    });
    const byFile = existsSync(counts) ? JSON.parse(readFileSync(counts, "utf8")) : {};
    const failures = Object.values(byFile).reduce((all, one) => all + one.failed, 0);
    // mocha ends with the number of failed specs, 255 at most; a crash or a leak that kept it from ending is neither.
    return { files: byFile, isWhole: existsSync(counts) && code === Math.min(failures, 255) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sum({ files, isWhole }) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const one of Object.values(files)) for (const key of Object.keys(total)) total[key] += one[key];
  // A run that ended badly without a failed spec is a failure too.
  return isWhole || total.failed > 0 ? total : { ...total, failed: 1 };
}

const named = (file) => relative(projectRoot, file);
