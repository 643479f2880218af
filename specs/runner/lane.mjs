// One lane of a run of the specs: a process that runs the spec files it is sent, one after the other, and sends back how
// each went. What runs is also published on a channel, for the recorder of contract/coverage.
import { channel } from "node:diagnostics_channel";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import Mocha from "mocha";
import { handleRequires } from "mocha/lib/cli/run-helpers.cjs";
import { projectRoot } from "../../deploy/installation/install.mjs";

/** Faster tests and hooks aren't listed among the slowest. */
const SLOW_MS = 500;
/** Earlier than lane-process.mjs gives up. */
const REPORTS_AFTER_MS = 10_000;

const options = JSON.parse(readFileSync(join(projectRoot, ".mocharc.json"), "utf8"));
// Loaded as mocha loads spec files, so that shared imports are the same module.
const { rootHooks } = await handleRequires(options.require);
const recorder = channel("livecore:specs");

/** The number of handles of each kind (sockets, timers, servers) that keep this process alive after each file. */
const alive = [];

/** @returns {Promise<import("./lane-process.mjs").FileResult>} */
async function run(file) {
  const mocha = new Mocha({ timeout: options.timeout, rootHooks, reporter: Quiet });
  const startedAt = performance.now();
  const cpuBefore = cpuMs();
  const result = { file, passed: 0, failed: 0, skipped: 0, slow: [], report: "" };
  mocha.addFile(join(projectRoot, file));
  try {
    await mocha.loadFilesAsync();
    // Not earlier: the first file loads the recorder.
    recorder.publish({ file: join(projectRoot, file) });
    const { counts, slow, report } = await new Promise((resolve) => {
      const runner = mocha.run(() => resolve(runner.seen));
    });
    Object.assign(result, counts, { slow, report });
  } catch (err) {
    Object.assign(result, { failed: 1, report: `It can't be run: ${format(err)}` });
  } finally {
    // Removes its listeners of the process.
    mocha.dispose();
  }
  alive.push({ file, kinds: kindsAlive() });
  return { ...result, ms: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore };
}

const kindsAlive = () => {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

/** Each remaining kind, with the file since which some of it has always remained. */
function whatIsLeft() {
  return Object.entries(kindsAlive()).map(([kind, count]) => {
    const since = alive.findLastIndex(({ kinds }) => !kinds[kind]) + 1;
    return `${count} ${kind} since ${alive[since]?.file ?? "the end"}`;
  });
}

/** The CPU time of this process and of its ended children, ms. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + endedChildrenMs();
}

/** Only on Linux: two fields after the name, in hundredths of a second. */
function endedChildrenMs() {
  if (!existsSync("/proc/self/stat")) return 0;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ");
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

/** Collects what mocha's own reporters would print. */
class Quiet {
  constructor(runner) {
    const seen = { counts: { passed: 0, failed: 0, skipped: 0 }, slow: [], report: "" };
    const failures = [];
    runner.seen = seen;
    runner.on("test", () => recorder.publish({ isPassed: false }));
    runner.on("pass", () => {
      recorder.publish({ isPassed: true });
      seen.counts.passed += 1;
    });
    runner.on("pending", () => {
      seen.counts.skipped += 1;
    });
    runner.on("fail", (test, err) => {
      test.err = err;
      failures.push(test);
      seen.counts.failed += 1;
    });
    for (const kind of ["test", "hook"]) {
      runner.on(`${kind} end`, (one) => {
        if (one.duration > SLOW_MS) seen.slow.push({ title: one.fullTitle(), ms: one.duration });
      });
    }
    runner.once("end", () => {
      const { Base } = Mocha.reporters;
      const lines = [];
      Base.consoleLog = (...args) => lines.push(format(...args));
      if (failures.length > 0) Base.list(failures);
      seen.report = lines.join("\n");
    });
  }
}

process.on("message", async ({ file }) => {
  if (file !== null) return process.send(await run(file));
  recorder.publish({ isOver: true });
  // From now on the process exits by itself, unless a spec has left something running.
  process.disconnect();
  setTimeout(() => console.error(`Still running: ${whatIsLeft().join(", ")}.`), REPORTS_AFTER_MS).unref();
});
