import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { projectRoot } from "../../deploy/config/project.ts";
import { hasFields } from "../stress/parent.ts";
import { type Print, type Scenario, scenario } from "../stress/scenario.ts";

/** Full-size scenarios of the OpenAPI contract; `npm test` generates fewer requests. */
export const CONTRACT: Scenario[] = [
  scenario({
    name: "fuzz",
    about: "requests that are made up, good and bad ones, are answered as the document says",
    sizes: { examples: 50, walks: 1_500 },
    fixed: {},
    run: runFuzz,
  }),
];

async function runFuzz(
  { seed, examples, walks }: { seed: number; examples: number; walks: number },
  print: Print,
) {
  const made = ["--examples", String(examples), "--one-limit-of", "1", "--walks", String(walks)];
  const args = ["--seed", String(Math.max(1, seed)), ...made];
  const child = spawn(process.execPath, ["--import", "tsx", "specs/runner/fuzz.mjs", ...args], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = (await text(child.stdout)).trim().split("\n");
  const counts: unknown = JSON.parse(lines.pop() ?? "null");
  for (const line of lines) print(line);
  if (!hasFields(counts, "passed", "failed", "skipped")) throw new Error("the proof gave no counts");
  const figures = {
    passed: Number(counts.passed),
    failed: Number(counts.failed),
    skipped: Number(counts.skipped),
  };
  if (figures.failed > 0) throw new Error(`${figures.failed} operations don't hold`);
  return figures;
}
