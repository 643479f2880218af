// Runs spec files in lanes side by side, each a process on stores of its own: what Redis keeps for all (limits, rooms)
// is then each lane's alone. Lanes take files from one queue, those first that took longest the last time, or that ask
// for most time, each followed by a short one. Files with a line "// @waits: for what" mostly wait; most of them have a lane of their own (decision 37).
// Files with a line "// @alone: why" would disturb others or be disturbed, and run at the end, with nothing beside them.
// What failed in at most ten files runs once more, alone, and counts as it ends then (decision 23).
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { projectRoot, SetUpError } from "../../deploy/installation/install.mjs";
import { createLane } from "./lane-process.mjs";
import { withStores } from "./stores.mjs";

const MAX_LANES = 2;
/** What one lane gets through of the files that wait while two get through all others. */
const SHARE_OF_OWN_LANE = 0.7;
/** If more files than this fail, a busy machine isn't the reason. */
const MAX_TRIED_AGAIN = 10;
const SLOWEST_NAMED = 20;
const ALONE = /^\/\/ @alone: \S/m;
const WAITS = /^\/\/ @waits: \S/m;
const TIMES = join(projectRoot, ".livecore/spec-times.json");

/**
 * Runs the files, and with them `proof`, which takes a lane and its stores for as long as it runs, and then, beside the files,
 * `firstSteps`, which has stores of its own and mostly waits. The proof comes before the files that wait, of which the long ones start
 * services as well: these one after the other, since more at once keep each other from their deadlines, and the machine computes a third
 * more for the same. Lanes that have nothing left help the others, whatever is left. Files that run alone wait for all of these.
 * @param {string[]} named files or folders; none: all spec files
 * @param {{ env: Record<string, string>, signal: AbortSignal, proof?: (env: Record<string, string>) => Promise<Counts>,
 *   firstSteps?: () => Promise<Counts> }} given
 * @returns {Promise<Counts>}
 * @typedef {import("./lane-process.mjs").Counts} Counts
 */
export async function specs(named, { env, signal, proof, firstSteps }) {
  const times = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, "utf8")) : {};
  const texts = new Map(
    specFiles(named.length > 0 ? named : ["specs"]).map((file) => [
      file,
      readFileSync(join(projectRoot, file), "utf8"),
    ]),
  );
  const weights = new Map([...texts].map(([file, text]) => [file, times[file] ?? guessedMs(text)]));
  const files = [...texts.keys()].sort((one, other) => weights.get(other) - weights.get(one));
  const alone = files.filter((file) => ALONE.test(texts.get(file)));
  const areGiven = Boolean(process.env.MONGODB_URL || process.env.REDIS_URL);
  const isWaiting = (file) => !areGiven && WAITS.test(texts.get(file));
  const waiting = files.filter((file) => isWaiting(file) && !alone.includes(file));
  const together = files.filter((file) => !isWaiting(file) && !alone.includes(file));
  const results = new Map();
  const counts = [];

  const runFile = (file) => async (lane) => {
    const result = await lane.run(file);
    if (signal.aborted) return;
    results.set(file, result);
    printResult(result, lane.number);
    if (result.failed === 0) return;
    // What comes next has a process of its own, since what failed may have left something running, which isn't one more failure.
    const fault = await lane.end();
    if (fault !== null) console.log(`After ${file}: ${fault}`);
  };
  let beside = Promise.resolve();
  const runProof = async (lane) => {
    counts.push(await proof(lane.env));
    if (firstSteps && !signal.aborted) beside = firstSteps().then((its) => void counts.push(its));
  };
  const runAgain = (file) => async (lane) => {
    await runFile(file)(lane);
    console.log(`${results.get(file)?.failed === 0 ? "passed at the second try" : "failed twice"}: ${file}`);
  };

  // The shortest that wait are spread among the others: at the end, with nothing beside them that computes, the machine would be idle.
  const own = Math.ceil(waiting.length * SHARE_OF_OWN_LANE);
  const mostlyComputing = spread(waiting.slice(own), alternating(together)).map(runFile);
  const mostlyWaiting = waiting.slice(0, own).map(runFile);
  if (proof) (mostlyWaiting.length > 0 ? mostlyWaiting : mostlyComputing).unshift(runProof);
  const waitingLanes = Math.min(1, mostlyWaiting.length);
  // There is only one set of stores when the environment names them.
  const most = areGiven ? 1 : Math.min(MAX_LANES, availableParallelism());
  const computingLanes = Math.max(waitingLanes > 0 ? 0 : 1, Math.min(most, mostlyComputing.length));
  await withLanes(computingLanes + waitingLanes, env, signal, async (lanes) => {
    /** Runs the items of the first queue that has any, in order, each in the first free lane; a lane's process ends with its last. */
    const run = (lanes, ...queues) =>
      Promise.all(
        lanes.map(async (lane) => {
          const next = () => queues.find((queue) => queue.length > 0)?.shift();
          for (let item = next(); item && !signal.aborted; item = next()) await item(lane);
          const fault = signal.aborted ? null : await lane.end();
          if (fault !== null) counts.push(broken(fault));
        }),
      );
    const [first] = lanes;
    await Promise.all([
      run(lanes.slice(0, computingLanes), mostlyComputing, mostlyWaiting),
      run(lanes.slice(computingLanes), mostlyWaiting, mostlyComputing),
    ]);
    await beside;
    await run([first], alone.map(runFile));
    const failed = [...results.values()].filter((one) => one.failed > 0);
    const isWorthATry = failed.length > 0 && failed.length <= MAX_TRIED_AGAIN && counts.every(isClean);
    if (!isWorthATry || failed.some((one) => one.hasDied) || signal.aborted) return;
    const again = failed.map(({ file }) => file);
    console.log(`\nTrying again, alone: ${again.join(", ")} …`);
    await run([first], again.map(runAgain));
  });
  printSlowest([...results.values()]);
  keepTimes({
    ...times,
    ...Object.fromEntries([...results].map(([file, { ms }]) => [file, Math.round(ms)])),
  });
  return [...results.values(), ...counts].reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/**
 * The spec files of these files and folders, by their paths in the project.
 * @param {string[]} named
 * @throws {SetUpError} for what doesn't exist, or holds no specs
 */
export function specFiles(named) {
  const files = named.flatMap((name) => {
    const path = resolve(projectRoot, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new SetUpError(`there is no ${name}`);
    const files = found.isDirectory() ? specFilesIn(path) : [path].filter(isSpec);
    if (files.length === 0) throw new SetUpError(`${name} holds no specs; their files end in .spec.ts`);
    return files;
  });
  return [...new Set(files)].map((file) => relative(projectRoot, file)).sort();
}

const isSpec = (name) => name.endsWith(".spec.ts");

const specFilesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter(isSpec)
    .map((name) => join(folder, name));

/** The long ones of a sorted list, each followed by a short one: so they are spread over the run, and the longest aren't last. */
function alternating(files) {
  const half = Math.ceil(files.length / 2);
  return files.slice(0, half).flatMap((file, n) => [file, ...files.slice(half + n, half + n + 1)]);
}

/** All of `many` in order, with `few` in even distances between them. */
function spread(few, many) {
  if (many.length === 0) return few;
  const until = (n) => Math.floor((n * few.length) / many.length);
  return many.flatMap((file, n) => [file, ...few.slice(until(n), until(n + 1))]);
}

/** An estimate for a file that never ran here: files with long timeouts take longer, and mustn't start last. */
function guessedMs(text) {
  const timeouts = [...text.matchAll(/\btimeout\(([\d_]+)\)/g)].map(([, ms]) =>
    Number(ms.replaceAll("_", "")),
  );
  return Math.max(0, ...timeouts) / 10;
}

async function withLanes(count, env, signal, use, lanes = []) {
  if (lanes.length === count) return use(lanes);
  const number = lanes.length + 1;
  await withStores(
    (stores) =>
      withLanes(count, env, signal, use, [...lanes, createLane(number, { ...stores, ...env }, signal)]),
    signal,
    { lane: number, inMemory: true },
  );
}

const isClean = ({ failed }) => failed === 0;

function broken(fault) {
  console.log(`FAILED  ${fault}`);
  return { passed: 0, failed: 1, skipped: 0 };
}

function printResult({ file, passed, failed, skipped, ms, cpuMs, report }, lane) {
  const counts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
  ];
  console.log(
    `${failed > 0 ? "FAILED " : "ok     "} ${file} (${counts.join(", ")}, ${seconds(ms)} of which ${seconds(cpuMs)} computed, lane ${lane})`,
  );
  if (report !== "") console.log(report.replaceAll(/^(?=.)/gm, "        "));
}

function printSlowest(results) {
  const slow = results.flatMap(({ file, slow }) => slow.map((one) => ({ ...one, file })));
  const slowest = slow.sort((one, other) => other.ms - one.ms).slice(0, SLOWEST_NAMED);
  if (slowest.length > 0) console.log("\nThe slowest:");
  for (const { file, title, ms } of slowest) console.log(`${seconds(ms).padStart(9)}  ${file}: ${title}`);
  const failed = results.filter((one) => one.failed > 0).map(({ file }) => `\n        ${file}`);
  if (failed.length > 0) console.log(`\nFailed:${failed.join("")}`);
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

function keepTimes(times) {
  mkdirSync(dirname(TIMES), { recursive: true });
  const there = Object.entries(times).filter(([file]) => existsSync(join(projectRoot, file)));
  writeFileSync(TIMES, JSON.stringify(Object.fromEntries(there)));
}
