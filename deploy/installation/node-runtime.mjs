// Decides which Node runs livecore. As much as possible is checked before anything is installed or started: sockets are
// served by
// uWebSockets.js, which has binaries only for some versions of Node and some systems.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fetchedNode, LAST_NODE_20 } from "./fetched-node.mjs";
import { installed, projectRoot, SetUpError } from "./install.mjs";
import { lackOfStores } from "./needed-stores.mjs";
import { standIn } from "./stand-in.mjs";

const OLDEST = "20.12";
const INSTEAD = "Use Node 22 or 24 on macOS or on Linux with glibc 2.38 or newer (Debian 13, Ubuntu 24.04).";
/** The glibc that the Node 20 from npm needs. */
const FETCHED_NEEDS_GLIBC = "2.28";

/** The binaries that uWebSockets.js 3.0.6 ships: by Node's ABI, the glibc that each needs, or null. */
const ON_LINUX = { 115: "2.27", 120: "2.27", 127: "2.38", 137: "2.38", 141: "2.38" };
const ELSEWHERE = { 115: null, 120: null, 127: null, 137: null, 141: null };
export const SOCKET_BINARIES = {
  "linux x64": ON_LINUX,
  "linux arm64": ON_LINUX,
  "linux arm": { 115: "2.28", 120: "2.28" },
  "darwin x64": ELSEWHERE,
  "darwin arm64": ELSEWHERE,
  "win32 x64": ELSEWHERE,
};

/** Loaded once in a separate process, since an incompatible binary may crash it. */
const NATIVE = ["uWebSockets.js", "@node-rs/argon2"];

/**
 * Installs what is missing and makes sure that Node can run all of it. Where this Node can't, another Node is fetched and runs
 * the rest of the command, and this never resolves. Throws a SetUpError that says what to install; with `withStores` also, and before
 * it installs anything, when this system can't have the stores.
 */
export async function readyToRun({ withStores = false } = {}) {
  const here = thisNode();
  const obstacle = obstacleOf(here);
  if (obstacle !== null) return goOnInstead(obstacle, here);
  const lack = withStores ? lackOfStores(here, process.env, join(homeFolder(), "cache")) : null;
  if (lack !== null) throw new SetUpError(lack);
  await installed(projectRoot);
  const fault = faultOfNative();
  if (fault !== null) await goOnInstead(fault, here);
}

const homeFolder = () => resolve(projectRoot, process.env.LIVECORE_HOME || ".livecore");

function thisNode() {
  const { header } = process.report.getReport();
  return {
    version: process.versions.node,
    abi: Number(process.versions.modules),
    system: `${process.platform} ${process.arch}`,
    /** Null on Linux means another C library, such as Alpine's musl. */
    glibc: header.glibcVersionRuntime ?? null,
  };
}

/** Returns why this Node can't run livecore, as a sentence; null when no obstacle is known. */
export function obstacleOf({ version, abi, system, glibc }) {
  if (system.startsWith("win32"))
    return "livecore needs signals and Unix sockets, which Windows has only in WSL 2.";
  if (isBelow(version, OLDEST)) return `livecore needs Node ${OLDEST} or newer; this is ${version}.`;
  const binaries = SOCKET_BINARIES[system];
  if (binaries === undefined) return `uWebSockets.js, which serves the sockets, doesn't run on ${system}.`;
  const needed = binaries[abi];
  if (needed === undefined)
    return `uWebSockets.js, which serves the sockets, has no binary for Node ${version}.`;
  if (needed === null) return null;
  if (glibc === null)
    return "uWebSockets.js, which serves the sockets, needs glibc, and this system has none.";
  return isBelow(glibc, needed)
    ? `With Node ${version}, uWebSockets.js needs glibc ${needed} or newer; this system has ${glibc}.`
    : null;
}

function faultOfNative() {
  const load = NATIVE.map((name) => `require(${JSON.stringify(name)})`).join(";");
  const { status, signal, stderr } = spawnSync(process.execPath, ["-e", load], {
    cwd: projectRoot,
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status === 0) return null;
  const why = /^\w*Error: .*/m.exec(stderr)?.[0] ?? `it was ended by ${signal ?? `exit code ${status}`}`;
  return `Node ${process.versions.node} can't load ${NATIVE.join(" and ")} (${why.slice(0, 200)}). If their files are damaged, remove node_modules and start again.`;
}

async function goOnInstead(obstacle, { version, system, glibc }) {
  const canFetch = system === "linux x64" && glibc !== null && !isBelow(glibc, FETCHED_NEEDS_GLIBC);
  // This is that version already, so another try would fail as well.
  if (!canFetch || version === LAST_NODE_20.version) throw new SetUpError(`${obstacle} ${INSTEAD}`);
  const program = await fetchedNode({
    release: LAST_NODE_20,
    home: homeFolder(),
    say: (from) => console.error(`${obstacle} Going on with Node ${LAST_NODE_20.version}: ${from}`),
  }).catch((err) => {
    if (err instanceof SetUpError) throw new SetUpError(`${err.message} ${INSTEAD}`);
    throw err;
  });
  await standIn(program, [...process.execArgv, ...process.argv.slice(1)]);
}

/** Compares only as many parts of `version` as `limit` has. */
function isBelow(version, limit) {
  const parts = version.split(".").map(Number);
  for (const [place, least] of limit.split(".").map(Number).entries()) {
    if (parts[place] !== least) return (parts[place] ?? 0) < least;
  }
  return false;
}
