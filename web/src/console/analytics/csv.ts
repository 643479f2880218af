export type Cell = string | number;

/** Spreadsheets take what begins so for a formula, which may be anybody's: a reward's title, for example. */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/** A table as RFC 4180 has it, with a mark by which spreadsheets know that it is UTF-8. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("")}`;

function fieldOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return SPECIAL.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
