// `npm test`: sets everything up, runs every check, the specs on real stores, the contract's proof, and the first steps
// on a fresh machine, and ends with the line "N passed, N failed, N skipped". Arguments are spec files; without any, all of them.
import { build } from "../../deploy/build.mjs";
import { isExpected } from "../../deploy/install.mjs";
import { readyToRun } from "../../deploy/node-runtime.mjs";
import { check } from "./check.mjs";
import { specs } from "./mocha.mjs";
import { node } from "./run.mjs";
import { withStores } from "./stores.mjs";

const PART_WITHIN_MS = 20 * 60_000;
const ALL_SPECS = ["specs/**/*.spec.ts"];
const PROOF = "specs/runner/fuzz.mjs";
const FIRST_STEPS = "specs/runner/fresh.mjs";
const BROKEN_RUN = { passed: 0, failed: 1, skipped: 0 };

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort());
// npm passes a SIGTERM that it gets alone to the shell between it and us, which ends without a word.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) {
  setInterval(() => process.ppid !== parent && interrupted.abort(), 500).unref();
}

async function main(files) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const add = (part) => {
    for (const key of Object.keys(total)) total[key] += part[key] ?? 0;
  };
  try {
    await readyToRun();
    add(await check());
    interrupted.signal.throwIfAborted();
    await build();
    add({ passed: 1 });
    await withStores(async (env) => {
      add(await specs(files.length > 0 ? files : ALL_SPECS, env, interrupted.signal));
      interrupted.signal.throwIfAborted();
      if (files.length > 0) return;
      console.log("\nHolding the running service against its contract …");
      add(await counted(PROOF, env));
      interrupted.signal.throwIfAborted();
    }, interrupted.signal);
    if (files.length === 0) {
      console.log("\nTaking the first steps on a fresh machine …");
      add(await counted(FIRST_STEPS));
    }
  } catch (err) {
    add(BROKEN_RUN);
    console.error(isExpected(err) ? `\n${err.message}` : err);
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

/** A part of its own, which prints its counts as JSON in its last line. */
async function counted(part, env = {}) {
  const { code, output } = await node(["--import", "tsx", part], {
    env,
    deadlineMs: PART_WITHIN_MS,
    signal: interrupted.signal,
  });
  const lines = output.trim().split("\n");
  console.log(lines.slice(0, -1).join("\n"));
  const counts = countsFrom(lines.at(-1) ?? "");
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

process.exitCode = await main(process.argv.slice(2));
