/**
 * What strings of requests may hold. Control characters and unpaired surrogates are refused everywhere: they
 * break logs, terminals and encoders. The patterns list what is allowed, since not every tool's regular
 * expressions can name a surrogate, and they are linear: no part of them can match in two ways.
 */
const LAST = String.fromCodePoint(0x10ffff);
const ALLOWED = `\\u0020-\\u007e\\u00a0-\\ud7ff\\ue000-${LAST}`;
/** White space and characters without ink, which would make a message that nobody sees. */
const BLANK = "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff";
/** What is allowed and not blank. */
const INK = [
  "\\u0021-\\u007e\\u00a1-\\u167f\\u1681-\\u1fff\\u2010-\\u2027\\u2030-\\u205e",
  `\\u2070-\\u2fff\\u3001-\\ud7ff\\ue000-\\ufefe\\uff00-${LAST}`,
].join("");

export const TEXT_PATTERNS = {
  line: `^[${ALLOWED}]*$`,
  lines: `^[\\u000a${ALLOWED}]*$`,
  visible: `^[${BLANK}]*[${INK}][${ALLOWED}]*$`,
} as const;

export function textPattern(kind: unknown): string {
  if (kind === undefined) return TEXT_PATTERNS.line;
  if (kind === "line" || kind === "lines" || kind === "visible") return TEXT_PATTERNS[kind];
  throw new Error(`x-text knows line, lines and visible, not ${String(kind)}`);
}
