// Proof that the running service keeps its contract: schemathesis makes up requests from the OpenAPI document, good
// and, if wanted, bad ones, and holds every answer to it. Bounded, and made up from a seed.
//
//   node --import tsx specs/runner/fuzz.mjs [--seed N] [--examples N] [--one-limit-of N] [--walks N] [--bad-ones] [--paths REGEX]
//   (or FUZZ_SEED, FUZZ_EXAMPLES)
//
// The service is one of its own, on the stores that MONGODB_URL and REDIS_URL name; its database is dropped at the
// end. The last line is JSON: {"passed": operations that hold, "failed": …, "skipped": …}.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ended } from "./fuzz/process.mjs";
import { startService } from "./fuzz/service.mjs";
import { settings } from "./fuzz/settings.mjs";
import { schemathesis } from "./fuzz/tool.mjs";
import { fuzzWorld } from "./fuzz/world.mjs";

/** With a new seed in every run, a change could be blamed for an older fault. */
const SEED = "20251121";
/** `npm run soak -- contract` generates more, bad ones too, and tests all limits. */
const EXAMPLES = "2";
/** One in this many limits of an operation's schemas is tested, after the first ones (fuzz/hooks.py). */
const ONE_LIMIT_OF = "24";
/** Walks along links from created resources (fuzz/settings.mjs sets how far each goes). */
const WALKS = "300";
const RUN_WITHIN_MS = 10 * 60_000;

class UsageError extends Error {}

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => interrupted.abort());

const counts = await main(process.argv.slice(2), interrupted.signal);
console.log(JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;

function optionsFrom(args, env) {
  const text = { type: "string" };
  const known = {
    seed: text,
    examples: text,
    "one-limit-of": text,
    walks: text,
    paths: text,
    // In `npm test` specs/api/contract/malformed-requests.spec.ts sends every operation what it must refuse, at a tenth of the cost.
    "bad-ones": { type: "boolean", default: false },
  };
  const { values } = parseArgs({ args, options: known });
  const options = {
    seed: values.seed ?? env.FUZZ_SEED ?? SEED,
    examples: values.examples ?? env.FUZZ_EXAMPLES ?? EXAMPLES,
    "one-limit-of": values["one-limit-of"] ?? ONE_LIMIT_OF,
    walks: values.walks ?? WALKS,
  };
  for (const [name, value] of Object.entries(options)) {
    if (/^[1-9][0-9]{0,14}$/.test(value)) continue;
    throw new UsageError(`--${name} takes a whole number above 0, not "${value}".`);
  }
  return { ...options, paths: values.paths, mode: values["bad-ones"] ? "all" : "positive" };
}

async function main(args, signal) {
  try {
    const options = optionsFrom(args, process.env);
    const tool = await schemathesis(signal);
    if ("missing" in tool) {
      console.log(`Skipped: schemathesis can't be had here, ${tool.missing}.`);
      return { passed: 0, failed: 0, skipped: 1 };
    }
    const service = await startService(signal);
    const folder = mkdtempSync(join(tmpdir(), "livecore-fuzz-"));
    try {
      const world = join(folder, "world.json");
      writeFileSync(world, JSON.stringify(await fuzzWorld(service, signal, options.paths)));
      return await run({ program: tool.program, service, folder, world, signal, ...options });
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await service.stop();
    }
  } catch (err) {
    if (err.name === "AbortError") console.log("Interrupted; nothing of this run goes on.");
    else
      console.log(
        err instanceof UsageError || String(err.code).startsWith("ERR_PARSE_ARGS") ? err.message : err,
      );
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function run(options) {
  const {
    program,
    service,
    folder,
    world,
    signal,
    seed,
    examples,
    paths,
    walks,
    mode,
    "one-limit-of": oneLimitOf,
  } = options;
  const report = join(folder, "report.json");
  const config = join(folder, "schemathesis.toml");
  writeFileSync(config, settings(walks));
  const args = [
    "--config-file",
    config,
    "run",
    here("../../contract/generated/openapi.json"),
    "--url",
    service.baseUrl,
  ];
  args.push("--checks", "all", "--continue-on-failure", "--seed", seed, "--max-examples", examples);
  args.push("--mode", mode, "--generation-database", "none", "--request-timeout", "20", "--no-color");
  args.push("--report", "json", "--report-json-path", report);
  if (paths !== undefined) args.push("--include-path-regex", paths);
  console.log(
    `schemathesis: seed ${seed}, up to ${examples} made-up requests an operation and phase, ${walks} walks …`,
  );
  const env = {
    ...process.env,
    LIVECORE_FUZZ_WORLD: world,
    LIVECORE_FUZZ_ONE_LIMIT_OF: oneLimitOf,
    SCHEMATHESIS_HOOKS: here("fuzz/hooks.py"),
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const { output } = await ended(program, args, { cwd: folder, env, signal, withinMs: RUN_WITHIN_MS });
  const result = reportIn(report);
  if (result === null || !result.complete) {
    console.log(`It didn't come to its end.\n${output.slice(-10_000)}\n${service.output()}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const { operations, failures, errors, test_cases: cases } = result;
  const failing = new Set(
    failures.flatMap((failure) => failure.operations.map((one) => JSON.stringify(one))),
  );
  const selected = paths === undefined ? operations.total : (operations.selected ?? operations.tested);
  const untested = selected - operations.tested;
  const failed = failing.size + errors.length + untested;
  if (failed > 0)
    console.log(`${findings(output)}\nAgain: node --import tsx specs/runner/fuzz.mjs --seed ${seed}`);
  console.log(
    `${cases.generated} requests to ${operations.tested} of ${selected} operations in` +
      ` ${Math.round(result.running_time)} s, ${cases.unique_failures} failures, ${errors.length} errors`,
  );
  const links = /^ *API Links: +(.+)$/m.exec(output)?.[1];
  if (links !== undefined) console.log(`Links: ${links}`);
  const unreached = [...result.warnings.missing_auth, ...result.warnings.missing_test_data];
  if (unreached.length > 0)
    console.log(`Hardly more than refused (fuzz/world.mjs may help): ${unreached.join(", ")}`);
  return { passed: Math.max(0, operations.tested - failing.size), failed, skipped: 0 };
}

/** What schemathesis prints below its progress. */
function findings(output) {
  const start = output.search(/^=+ (ERRORS|FAILURES)/m);
  return start === -1 ? output.slice(-10_000) : output.slice(start);
}

function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (err) {
    // The run ended before it could write a report.
    if (err.code === "ENOENT") return null;
    throw err;
  }
}
