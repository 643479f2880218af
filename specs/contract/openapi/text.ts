/**
 * What strings of requests may contain: no control characters, which break logs and terminals, and no bidi controls, which
 * reorder the text after them, so that a name or a title could imitate another one. (Unpaired surrogates are refused when bodies
 * are decoded, since few regular expression engines can name them.) The patterns match in linear time: no part of them can match
 * in two ways.
 */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL_SAVE_NEWLINE = "\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f";
const BIDI = "\\u202a-\\u202e\\u2066-\\u2069";
/** White space and invisible characters, of which an empty-looking message could consist. */
const BLANK = "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff";
const BLANK_SAVE_BIDI =
  "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u3000\\ufeff";

export const TEXT_PATTERNS = {
  line: `^[^${CONTROL}${BIDI}]*$`,
  lines: `^[^${CONTROL_SAVE_NEWLINE}${BIDI}]*$`,
  visible: `^[${BLANK_SAVE_BIDI}]*[^${CONTROL}${BLANK}][^${CONTROL}${BIDI}]*$`,
  /** Chat messages; the room removes bidi controls from them, since users paste them unknowingly. */
  spoken: `^[${BLANK}]*[^${CONTROL}${BLANK}][^${CONTROL}]*$`,
  /** Never shown to anybody, such as passwords. */
  unshown: `^[^${CONTROL}]*$`,
} as const;

export function textPattern(kind: unknown): string {
  if (kind === undefined) return TEXT_PATTERNS.line;
  const known = Object.entries(TEXT_PATTERNS).find(([name]) => name === kind);
  if (known) return known[1];
  throw new Error(`x-text knows ${Object.keys(TEXT_PATTERNS).join(", ")}, not ${String(kind)}`);
}
