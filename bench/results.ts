import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/** One line of a result; `ratio` is to the baseline of the same run, in the form "1.2 ×". */
export type Row = { what: string; figure: string; ratio?: string };

/** What was to be reached, in words with its bound, and what was. */
export type Goal = { goal: string; here: string; met: boolean };

/** A part of a suite, and how it was measured in a line when that differs from run to run. */
export type Result = { part: string; rows: Row[]; goals?: Goal[]; how?: string };

const PAGE = new URL("./RESULTS.md", import.meta.url);

export function show({ rows, goals = [] }: Pick<Result, "rows" | "goals">): void {
  const wide = Math.max(...rows.map((row) => row.what.length));
  for (const { what, figure, ratio } of rows)
    console.log(`    ${what.padEnd(wide)}  ${figure}  ${ratio ?? ""}`);
  for (const { goal, here, met } of goals) console.log(`    ${met ? "met   " : "MISSED"}  ${goal}: ${here}`);
}

/** Puts the results of a suite into the page, each in the place of its part's earlier one; other parts stay. */
export function save(suite: string, results: Result[]): void {
  const [begin, end] = [`<!-- ${suite} -->`, `<!-- end of ${suite} -->`];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(begin);
  const [known, after] = rest?.split(end) ?? [];
  if (before === undefined || known === undefined || after === undefined)
    throw new Error(`RESULTS.md has no place for ${suite}`);
  const parts = new Map(
    known
      .split(/^(?=### )/m)
      .filter((section) => section.startsWith("### "))
      .map((section) => [section.slice("### ".length, section.indexOf("\n")), section.trim()]),
  );
  for (const result of results) parts.set(result.part, sectionOf(result));
  writeFileSync(PAGE, `${before}${begin}\n\n${[...parts.values()].join("\n\n")}\n\n${end}${after}`);
}

function sectionOf({ part, rows, goals = [], how }: Result): string {
  return [
    `### ${part}`,
    "",
    [machine(), ...(how === undefined ? [] : [how])].join(" "),
    "",
    "| what | figure | to its baseline |",
    "|---|---|---|",
    ...rows.map(({ what, figure, ratio }) => `| ${what} | ${figure} | ${ratio ?? ""} |`),
    ...(goals.length === 0 ? [] : ["", "| goal | here | |", "|---|---|---|"]),
    ...goals.map(({ goal, here, met }) => `| ${goal} | ${here} | ${met ? "met" : "**missed**"} |`),
  ].join("\n");
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${cpus().length} × ${cpu?.model ?? "an unknown processor"}, ${memory} GiB, Node ${process.version}; the stores and the load share these cores.`;
}
