// schemathesis in its own virtual environment, which is created at the first run and kept.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ended } from "./process.mjs";

const folder = fileURLToPath(new URL("../../../node_modules/.cache/schemathesis/", import.meta.url));
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const program = join(folder, "bin", "schemathesis");
/** Written last, so that an interrupted environment, or one with other versions, is created again. */
const stamp = join(folder, "installed.txt");
const PYTHONS = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];
/** pip 22.3 is the first that installs into another environment. */
const IS_FIT =
  "import sys, venv, pip; sys.exit(sys.version_info < (3, 11) or tuple(map(int, pip.__version__.split('.')[:2])) < (22, 3))";
const INSTALL_WITHIN_MS = 240_000;
const ANSWER_WITHIN_MS = 30_000;

/** @returns {Promise<{ program: string } | { missing: string }>} `missing` says why there is none. */
export async function schemathesis(signal) {
  if (await isInstalled(signal)) return { program };
  const python = await findPython(signal);
  if (python === null) return { missing: "it needs Python 3.11 or newer with venv, and pip 22.3 or newer" };

  console.log("Installing schemathesis into node_modules/.cache …");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--timeout", "20", "--retries", "2"];
  // Only files with listed hashes, and none that run code to be installed.
  const pinned = ["--require-hashes", "--only-binary=:all:", "-r", requirements];
  const steps = [
    // A pip of its own would take half as long as all else.
    [python, ["-m", "venv", "--without-pip", folder]],
    [python, ["-m", "pip", "--python", join(folder, "bin", "python"), "install", ...quiet, ...pinned]],
  ];
  for (const [command, args] of steps) {
    const { code, output } = await ended(command, args, { signal, withinMs: INSTALL_WITHIN_MS });
    if (code !== 0)
      return { missing: `"${command} ${args.slice(0, 3).join(" ")}" failed: ${lastLine(output)}` };
  }
  writeFileSync(stamp, readFileSync(requirements));
  return (await isInstalled(signal)) ? { program } : { missing: "what was installed doesn't run" };
}

/** An environment breaks when its Python is removed, so it is tried. */
async function isInstalled(signal) {
  if (!existsSync(stamp) || !readFileSync(stamp).equals(readFileSync(requirements))) return false;
  return (await ended(program, ["--version"], { signal, withinMs: ANSWER_WITHIN_MS })).code === 0;
}

async function findPython(signal) {
  for (const name of PYTHONS) {
    const { code } = await ended(name, ["-c", IS_FIT], { signal, withinMs: ANSWER_WITHIN_MS });
    if (code === 0) return name;
  }
  return null;
}

const lastLine = (text) => text.trim().split("\n").at(-1);
