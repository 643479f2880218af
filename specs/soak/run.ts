/** Runs scenarios one after the other on the stores that MONGODB_URL and REDIS_URL name: see specs/runner/soak.mjs. */
import { appendFileSync, mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import type { Scenario } from "../stress/scenario.ts";
import { newSeed } from "../stress/seed.ts";
import { parseArguments, type SoakArguments } from "./arguments.ts";

type Sets = Readonly<Record<string, readonly Scenario[]>>;

const print = (line: string) => process.stdout.write(`${line}\n`);

function chosen(sets: Sets, { set, names }: SoakArguments): readonly Scenario[] {
  const scenarios = sets[set];
  if (!scenarios) throw new Error(`There is no set ${set}, only ${Object.keys(sets).join(", ")}.`);
  const known = scenarios.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no scenario ${unknown.join(", ")} in ${set}, only ${known.join(", ")}.`);
  }
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** Prints and records one line of figures; false when the scenario failed. */
async function run(scenario: Scenario, { set, seed, scale, out }: SoakArguments): Promise<boolean> {
  print(`\n${scenario.name}: ${scenario.about} (seed ${seed}, scale ${scale})`);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  const printTimed = (line: string) => print(`  ${seconds().toFixed(1).padStart(7)} s  ${line}`);
  const { figures, error } = await scenario.run(seed, scale, printTimed).then(
    (figures) => ({ figures, error: null }),
    (error: unknown) => ({ figures: {}, error }),
  );
  if (error !== null) print(error instanceof Error ? String(error.stack) : String(error));
  const [cpu] = cpus();
  const line = JSON.stringify({
    scenario: `${set}/${scenario.name}`,
    ok: error === null,
    seed,
    scale,
    date: new Date().toISOString(),
    machine: { cpu: cpu?.model ?? "unknown", cores: cpus().length, node: process.version },
    seconds: seconds(),
    figures,
    ...(error === null ? {} : { error: String(error) }),
  });
  print(line);
  mkdirSync(dirname(out), { recursive: true });
  appendFileSync(out, `${line}\n`);
  return error === null;
}

async function runAll(sets: Sets, args: string[]): Promise<number> {
  const options = parseArguments(args, {
    seed: newSeed(),
    out: join(projectRoot, ".livecore/soak.jsonl"),
  });
  const failed: string[] = [];
  const scenarios = chosen(sets, options);
  for (const scenario of scenarios) if (!(await run(scenario, options))) failed.push(scenario.name);
  const verdict = failed.length === 0 ? "all promises held" : `broken: ${failed.join(", ")}`;
  print(`\n${scenarios.length} scenarios, seed ${options.seed}: ${verdict}`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * Runs the named scenarios, and exits: what a failed scenario has left open (sockets, chat that is retried until it is answered)
 * would keep the process alive for ever.
 */
export async function soak(sets: Sets, args: string[]): Promise<never> {
  try {
    process.exit(await runAll(sets, args));
  } catch (err) {
    print(err instanceof Error ? err.message : String(err));
    process.exit(2);
  }
}
