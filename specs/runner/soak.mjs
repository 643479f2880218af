// `npm run soak -- <set> [scenario …]`: the promises in full size, with the seed printed and a JSON line of figures a
// run (kept in .livecore/soak.jsonl). It sets everything up like `npm test`, and leaves nothing behind: not what the
// scenarios started either, whether they end by themselves, by Ctrl-C, or not at all.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../deploy/installation/build.mjs";
import { isExpected, projectRoot } from "../../deploy/installation/install.mjs";
import { readyToRun } from "../../deploy/installation/node-runtime.mjs";
import { withStores } from "./stores.mjs";

const DRAINS_WITHIN_MS = 5_000;

const interrupted = new AbortController();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => interrupted.abort(signal));

async function main(args) {
  try {
    await readyToRun();
    await build();
    let code = 1;
    await withStores(async (env) => {
      code = await soak(args, env);
    }, interrupted.signal);
    return code;
  } catch (err) {
    console.error(isExpected(err) || interrupted.signal.aborted ? `\n${err.message ?? err}` : err);
    return interrupted.signal.aborted ? 128 + constants.signals[interrupted.signal.reason] : 1;
  }
}

/** Runs the scenarios as a separate process group, with a folder for what they start detached. */
async function soak(args, env) {
  const folder = mkdtempSync(join(tmpdir(), "livecore-soak-"));
  const child = spawn(process.execPath, ["--import", "tsx", "specs/soak/main.ts", ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env, TMPDIR: folder },
    stdio: "inherit",
    detached: true,
  });
  const sendSignal = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch (err) {
      if (err.code !== "ESRCH") throw err; // the group is empty
    }
  };
  let late;
  const callOff = () => {
    sendSignal("SIGTERM");
    late = setTimeout(() => sendSignal("SIGKILL"), DRAINS_WITHIN_MS);
  };
  interrupted.signal.addEventListener("abort", callOff, { once: true });
  if (interrupted.signal.aborted) callOff();
  try {
    const { code, signal } = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    if (interrupted.signal.aborted) return 128 + constants.signals[interrupted.signal.reason];
    if (code === null) console.error(`The scenarios were ended by ${signal}.`);
    return code ?? 1;
  } finally {
    clearTimeout(late);
    sendSignal("SIGKILL");
    await endDetached(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends scenarios' own stores that weren't stopped; each has a record. */
async function endDetached(folder) {
  const { endProcess, isAlive, readRecord } = await import(
    "../../deploy/processes/process/process-record.ts"
  );
  const records = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith("process.json"));
  for (const name of records) {
    const record = readRecord(join(folder, name));
    if (record !== null && isAlive(record)) await endProcess(record, 0);
  }
}

process.exitCode = await main(process.argv.slice(2));
