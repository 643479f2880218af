// Makes node_modules match package-lock.json. No dependencies: this runs before any are installed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Why the set-up can't continue, as a sentence for the user at the terminal. */
export class SetUpError extends Error {}

/** True for an error whose message is meant for the user: it is printed without a stack. */
export const isExpected = (err) =>
  err instanceof SetUpError || err?.name === "StartError" || err?.name === "AbortError";

/** Running installations by folder: checks that need the same one run side by side. */
const installing = new Map();

/** Runs `npm ci` in `folder`, unless all packages of its lock file are installed already. Who asks meanwhile waits for the same run. */
export function installed(folder) {
  const running = installing.get(folder);
  if (running) return running;
  const installation = install(folder).finally(() => installing.delete(folder));
  installing.set(folder, installation);
  return installation;
}

async function install(folder) {
  const missing = missingFrom(folder);
  if (missing === 0) return;
  const where = relative(projectRoot, folder);
  console.log(`Installing ${missing} packages${where ? ` in ${where}/` : ""} (npm ci) …`);
  const onInterrupt = () =>
    console.error("\nStopping npm, which removes what it has installed first. Ctrl-C again ends it at once.");
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run("npm", ["ci", ...flags], { cwd: folder, onInterrupt });
  if (code === 0 && missingFrom(folder) === 0) return;
  throw new SetUpError(
    code === null
      ? "npm isn't on PATH; it comes with Node. Install it and start again."
      : "npm couldn't install the packages; it says why above. Without a network, the packages must be in npm's cache. Start again when that is settled.",
  );
}

/** npm writes its own lock file into node_modules as its last step: an interrupted installation has none. */
function missingFrom(folder) {
  const wanted = packagesOf(join(folder, "package-lock.json"));
  const present = packagesOf(join(folder, "node_modules/.package-lock.json"));
  return Object.entries(wanted).filter(
    ([path, { version, optional, link }]) =>
      path !== "" &&
      !optional &&
      !link &&
      (present[path]?.version !== version || !existsSync(join(folder, path))),
  ).length;
}

function packagesOf(lock) {
  try {
    return JSON.parse(readFileSync(lock, "utf8")).packages ?? {};
  } catch (err) {
    if (err.code === "ENOENT" || err instanceof SyntaxError) return {};
    throw err;
  }
}

/** A repeat within this time is the same signal: npm forwards a terminal's signal that this process also receives itself. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Resolves with the exit code, or null when the program doesn't exist. Signals to this process are forwarded to the program, and this
 * process exits after it; `onInterrupt` is called at the first. Another one more than a second later kills the program.
 */
export function run(
  command,
  args,
  { cwd = projectRoot, env = process.env, stdio = "inherit", onInterrupt } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio });
    let firstAt = null;
    const end = (signal) => {
      if (firstAt === null) {
        firstAt = performance.now();
        child.once("exit", () => process.exit(1));
        onInterrupt?.();
        child.kill(signal);
      } else if (performance.now() - firstAt > SAME_SIGNAL_MS) child.kill("SIGKILL");
    };
    const forward = Object.fromEntries(
      ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, () => end(signal)]),
    );
    for (const [signal, listener] of Object.entries(forward)) process.on(signal, listener);
    const done = (code) => {
      for (const [signal, listener] of Object.entries(forward)) process.off(signal, listener);
      resolve(code);
    };
    child.once("error", () => done(null));
    child.once("exit", (code) => done(code ?? 1));
  });
}
