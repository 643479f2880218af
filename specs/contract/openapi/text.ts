/**
 * What strings of requests may hold: no control characters, which break logs and terminals, and none that turn the
 * direction of what stands after them, by which a name or a title could pretend to be another. (Unpaired surrogates
 * are refused where bodies are decoded: few tools' regular expressions can name them.) The patterns are linear:
 * no part of them can match in two ways.
 */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL_SAVE_NEWLINE = "\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f";
const BIDI = "\\u202a-\\u202e\\u2066-\\u2069";
/** White space and characters without ink, which would make a message that nobody sees. */
const BLANK = "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff";
const BLANK_SAVE_BIDI =
  "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u3000\\ufeff";

export const TEXT_PATTERNS = {
  line: `^[^${CONTROL}${BIDI}]*$`,
  lines: `^[^${CONTROL_SAVE_NEWLINE}${BIDI}]*$`,
  visible: `^[${BLANK_SAVE_BIDI}]*[^${CONTROL}${BLANK}][^${CONTROL}${BIDI}]*$`,
  /** Said in chat, from which the room takes the turning ones away: people paste them without knowing. */
  spoken: `^[${BLANK}]*[^${CONTROL}${BLANK}][^${CONTROL}]*$`,
  /** Never shown to anybody, as passwords. */
  unshown: `^[^${CONTROL}]*$`,
} as const;

export function textPattern(kind: unknown): string {
  if (kind === undefined) return TEXT_PATTERNS.line;
  const known = Object.entries(TEXT_PATTERNS).find(([name]) => name === kind);
  if (known) return known[1];
  throw new Error(`x-text knows ${Object.keys(TEXT_PATTERNS).join(", ")}, not ${String(kind)}`);
}
