/**
 * Compares what a run of the specs showed with `recorded.txt`, or rewrites that file:
 *
 *   node --import tsx contract/coverage/compare.ts <folder> [--record [spec file …]]
 *
 * With spec files, only these ran. The last line is JSON: {"passed": …, "failed": …, "skipped": …}.
 */
import { writeFileSync } from "node:fs";
import { wanted } from "./inventory/entries.ts";
import { observedIn, RECORDED_FILE, readRecorded, textOf, updated } from "./recorded.ts";

const MAX_NAMED = 30;

const [folder = "", flag, ...ran] = process.argv.slice(2);
const needed = wanted();
const before = readRecorded();
const observed = observedIn(folder);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints at most MAX_NAMED lines, and how many more there are. */
function list(lines: string[]): void {
  for (const line of lines.slice(0, MAX_NAMED)) print(`        ${line}`);
  if (lines.length > MAX_NAMED) print(`        and ${lines.length - MAX_NAMED} more`);
}

function record(): number {
  const all = updated(before, observed, ran.length > 0 ? ran : null);
  const after = new Map([...all].filter(([one]) => needed.has(one)));
  writeFileSync(RECORDED_FILE, textOf(after));
  print(`recorded ${after.size} observations (${before.size} before); docs/coverage.md is made of them`);
  return 0;
}

function compare(): number {
  const lost = [...before].filter(([one]) => needed.has(one) && !observed.has(one));
  const found = [...observed.keys()].filter((one) => !before.has(one));
  print(`${lost.length === 0 ? "ok     " : "FAILED "} what docs/coverage.md says is shown was shown`);
  list(lost.map(([one, files]) => `not shown: ${one} (by ${files.join(" or ")})`));
  if (found.length > 0) print("        Shown, and not yet recorded; npm run coverage does that:");
  list(found.sort());
  return lost.length;
}

const failed = flag === "--record" ? record() : compare();
print(JSON.stringify({ passed: failed === 0 ? 1 : 0, failed, skipped: 0 }));
