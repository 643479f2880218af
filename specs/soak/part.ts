import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { hasFields } from "../stress/parent.ts";
import type { Figures, Print } from "../stress/scenario.ts";

/**
 * Runs a separate part of `npm test` at full size: a module of specs/runner whose last line is its counts, as JSON. Throws when
 * anything failed, and when anything was skipped.
 */
export async function runPart(module: string, args: string[], print: Print): Promise<Figures> {
  const child = spawn(process.execPath, ["--import", "tsx", module, ...args], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines = (await text(child.stdout)).trim().split("\n");
  const [code] = await ended;
  const counts: unknown = JSON.parse(lines.pop() ?? "null");
  for (const line of lines) print(line);
  if (!hasFields(counts, "passed", "failed", "skipped")) throw new Error(`${module} gave no counts`);
  const figures = {
    passed: Number(counts.passed),
    failed: Number(counts.failed),
    skipped: Number(counts.skipped),
  };
  if (figures.failed > 0) throw new Error(`${figures.failed} failed`);
  if (code !== 0) throw new Error(`${module} ended with exit code ${code}`);
  if (figures.skipped > 0) throw new Error(`${figures.skipped} can't be run here`);
  return figures;
}
