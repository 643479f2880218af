/** One line of the final table: what was counted, the expected and the actual value, and whether they agree. */
export type Check = { what: string; expected: string; seen: string; ok: boolean };

export function check(what: string, expected: number | string, seen: number | string): Check {
  return { what, expected: String(expected), seen: String(seen), ok: String(expected) === String(seen) };
}

/** Nearest-rank percentile of unsorted values in ms; "-" without values. */
export function percentiles(values: number[]): string {
  if (values.length === 0) return "-";
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(1)}`).join(" · ");
}

export function renderTable(checks: Check[]): string {
  const rows = [
    ["", "what", "expected", "seen"],
    ...checks.map((c) => [c.ok ? "✓" : "✗", c.what, c.expected, c.seen]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const PRINT_EVERY_MS = 10_000;

/** A progress line: rewritten in place in a terminal, printed at most every 10 s elsewhere (logs, CI). */
export function createProgress(out: { isTTY?: boolean; write(text: string): unknown }) {
  let lastAt = 0;
  let last = "";
  function say(mark: string, line: string): void {
    out.write(`${out.isTTY ? "\r\x1b[2K" : ""}${mark} ${line}\n`);
    last = "";
  }
  return {
    show(line: string): void {
      if (out.isTTY) out.write(`\r\x1b[2K  ${line}`);
      else if (performance.now() - lastAt > PRINT_EVERY_MS && line !== last) {
        lastAt = performance.now();
        out.write(`  ${line}\n`);
      }
      last = line;
    },
    done: (line: string) => say("✓", line),
    note: (line: string) => say("·", line),
  };
}
