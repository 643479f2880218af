import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/** One line of a result; `ratio` is to the baseline of the same run, in the form "1.2 ×". */
export type Row = { what: string; figure: string; ratio?: string };

const PAGE = new URL("./RESULTS.md", import.meta.url);

export function show(rows: Row[]): void {
  const wide = Math.max(...rows.map((row) => row.what.length));
  for (const { what, figure, ratio } of rows)
    console.log(`    ${what.padEnd(wide)}  ${figure}  ${ratio ?? ""}`);
}

/** Puts the results of a suite into the page, in the place of its earlier ones. */
export function save(suite: string, results: { part: string; rows: Row[] }[]): void {
  const [begin, end] = [`<!-- ${suite} -->`, `<!-- end of ${suite} -->`];
  const tables = results.map(({ part, rows }) =>
    [
      `### ${part}`,
      "",
      "| what | figure | to its baseline |",
      "|---|---|---|",
      ...rows.map(({ what, figure, ratio }) => `| ${what} | ${figure} | ${ratio ?? ""} |`),
      "",
    ].join("\n"),
  );
  const section = [begin, "", machine(), "", ...tables, end].join("\n");
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`RESULTS.md has no place for ${suite}`);
  writeFileSync(PAGE, `${before}${section}${after}`);
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${cpus().length} × ${cpu?.model ?? "an unknown processor"}, ${memory} GiB, Node ${process.version}; the stores and the load share these cores.`;
}
