// `npm test`: sets everything up, runs every check, the specs on real stores, the contract's proof, and the first steps
// with a Node of today, and ends with the line "N passed, N failed, N skipped". Arguments are spec files; without any, all of them.
// With --record (`npm run coverage`) what the specs showed of the interface is written down instead of compared.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../deploy/installation/build.mjs";
import { installed, isExpected, projectRoot } from "../../deploy/installation/install.mjs";
import { readyToRun } from "../../deploy/installation/node-runtime.mjs";
import { checkGenerated, checkSources } from "./check.mjs";
import { specs } from "./lanes.mjs";
import { node } from "./run.mjs";

const PART_WITHIN_MS = 20 * 60_000;
const PROOF = "specs/runner/fuzz.mjs";
const COVERAGE = "contract/coverage/compare.ts";
const COVERAGE_PAGE = "contract/coverage/generate.ts";
const FIRST_STEPS = "specs/runner/fresh.mjs";
const BROKEN_RUN = { passed: 0, failed: 1, skipped: 0 };

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort());
// When npm alone gets a SIGTERM, it passes it to the shell between it and us, which ends without forwarding it.
const parent = process.ppid;
if (process.env.npm_lifecycle_event || process.env.LIVECORE_ENDS_WITH_PARENT) {
  setInterval(() => process.ppid !== parent && interrupted.abort(), 500).unref();
}

async function main(files, isRecording) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const add = (part) => {
    for (const key of Object.keys(total)) total[key] += part[key] ?? 0;
  };
  try {
    await readyToRun({ withStores: true });
    // Before the specs, which read what it writes.
    const generated = checkGenerated();
    await installed(join(projectRoot, "web")).finally(() => generated);
    add(await generated);
    interrupted.signal.throwIfAborted();
    await build();
    add({ passed: 1 });
    // Beside the specs: most checks have one thread, which leaves half of the machine to others.
    const parts = await Promise.all([
      checkSources(interrupted.signal),
      covered(files, isRecording).catch(broken),
    ]);
    parts.forEach(add);
    interrupted.signal.throwIfAborted();
  } catch (err) {
    add(broken(err));
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

function broken(err) {
  console.error(isExpected(err) ? `\n${err.message}` : err);
  return BROKEN_RUN;
}

/**
 * Runs the specs. What they showed of the interface is recorded on request; otherwise it is compared with the record, if all of
 * them ran and none failed, since each shows only a part.
 */
async function covered(files, isRecording) {
  const folder = mkdtempSync(join(tmpdir(), "livecore-run-"));
  const shown = join(folder, "shown");
  mkdirSync(shown);
  const isWhole = files.length === 0;
  try {
    const counts = await specs(files, {
      env: { SPEC_COVERAGE: shown, SPEC_BUNDLES: join(folder, "bundles") },
      signal: interrupted.signal,
      ...(isWhole && !isRecording
        ? { proof: (env) => counted(PROOF, env), firstSteps: () => counted(FIRST_STEPS, {}, ["--small"]) }
        : {}),
    });
    if (counts.failed > 0 || interrupted.signal.aborted || !(isWhole || isRecording)) return counts;
    console.log("\nLooking at what the specs showed of the interface …");
    const coverage = await counted(COVERAGE, {}, [shown, ...(isRecording ? ["--record", ...files] : [])]);
    const page = isRecording ? await node(["--import", "tsx", COVERAGE_PAGE]) : { code: 0, output: "" };
    if (page.code !== 0) console.log(page.output);
    return sum(sum(counts, coverage), { failed: page.code === 0 ? 0 : 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a separate part, which prints its counts as JSON in its last line. */
async function counted(part, env = {}, args = []) {
  const { code, output } = await node(["--import", "tsx", part, ...args], {
    env,
    deadlineMs: PART_WITHIN_MS,
    signal: interrupted.signal,
  });
  const lines = output.trim().split("\n");
  const counts = countsFrom(lines.at(-1) ?? "");
  const state = code === 0 && counts?.failed === 0 ? "ok    " : "FAILED";
  console.log(`\n${state}  ${part}\n${lines.slice(0, -1).join("\n")}\n`);
  if (counts === null) {
    console.log(lines.at(-1));
    return BROKEN_RUN;
  }
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

function countsFrom(line) {
  try {
    const { passed, failed, skipped } = JSON.parse(line);
    return [passed, failed, skipped].every(Number.isInteger) ? { passed, failed, skipped } : null;
  } catch (err) {
    if (err instanceof SyntaxError) return null;
    throw err;
  }
}

function sum(one, other) {
  return Object.fromEntries(Object.keys(one).map((key) => [key, one[key] + (other[key] ?? 0)]));
}

const args = process.argv.slice(2);
process.exitCode = await main(
  args.filter((arg) => arg !== "--record"),
  args.includes("--record"),
);
