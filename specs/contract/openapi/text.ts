/**
 * What strings of requests may hold: no control characters, which break logs and terminals. (Unpaired surrogates
 * are refused where bodies are decoded: few tools' regular expressions can name them.) The patterns are linear:
 * no part of them can match in two ways.
 */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL_SAVE_NEWLINE = "\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f";
/** White space and characters without ink, which would make a message that nobody sees. */
const BLANK = "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff";

export const TEXT_PATTERNS = {
  line: `^[^${CONTROL}]*$`,
  lines: `^[^${CONTROL_SAVE_NEWLINE}]*$`,
  visible: `^[${BLANK}]*[^${CONTROL}${BLANK}][^${CONTROL}]*$`,
} as const;

export function textPattern(kind: unknown): string {
  if (kind === undefined) return TEXT_PATTERNS.line;
  if (kind === "line" || kind === "lines" || kind === "visible") return TEXT_PATTERNS[kind];
  throw new Error(`x-text knows line, lines and visible, not ${String(kind)}`);
}
