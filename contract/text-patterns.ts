/**
 * What strings of requests may contain: no control characters, which break logs and terminals, and no bidi controls, which
 * reorder the text after them, so that a name or a title could imitate another one. (Unpaired surrogates are refused when bodies
 * are decoded, since few regular expression engines can name them.) The patterns match in linear time: no part of them can match
 * in two ways.
 */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f";
const CONTROL_SAVE_NEWLINE = "\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f";
const BIDI = "\\u202a-\\u202e\\u2066-\\u2069";
/**
 * What shows nothing, so that a text of it alone looks empty: white space; default ignorable characters (hyphens and joiners that are
 * hidden, fillers, tags); annotations; noncharacters; blanks of Braille, hieroglyphs and music; marks without a letter. The ranges
 * are those of Unicode, with which a spec compares them; a class of properties couldn't leave out the bidi controls.
 */
const BLANK_SAVE_BIDI = [
  "\\p{Mn}\\p{Me}",
  "\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u3000\\ufeff",
  "\\u00ad\\u061c\\u115f\\u1160\\u180e\\u3164\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
  "\\p{Noncharacter_Code_Point}\\u2800\\u{13441}\\u{13442}\\u{1d159}",
].join("");
const BLANK = `${BLANK_SAVE_BIDI}${BIDI}`;

export const TEXT_PATTERNS = {
  line: `^[^${CONTROL}${BIDI}]*$`,
  lines: `^[^${CONTROL_SAVE_NEWLINE}${BIDI}]*$`,
  visible: `^[${BLANK_SAVE_BIDI}]*[^${CONTROL}${BLANK}][^${CONTROL}${BIDI}]*$`,
  "visible-lines": `^[${BLANK_SAVE_BIDI}\\n]*[^${CONTROL}${BLANK}][^${CONTROL_SAVE_NEWLINE}${BIDI}]*$`,
  /** Chat messages; the room removes bidi controls from them, since users paste them unknowingly. */
  spoken: `^[${BLANK}]*[^${CONTROL}${BLANK}][^${CONTROL}]*$`,
  /** Never shown to anybody, such as passwords. */
  unshown: `^[^${CONTROL}]*$`,
} as const;

/** The same for people, who see it when a text is refused. */
const TEXT_WORDS: Readonly<Record<keyof typeof TEXT_PATTERNS, string>> = {
  line: "a text without line breaks, control characters and direction controls",
  lines: "a text without control characters and direction controls",
  visible: "a text of which something shows, without line breaks, control characters and direction controls",
  "visible-lines": "a text of which something shows, without control characters and direction controls",
  spoken: "a text of which something shows, without line breaks and control characters",
  unshown: "a text without line breaks and control characters",
};

/** What `x-text` says about a string of requests: its pattern, and the same in words. */
export function textRule(kind: unknown): { pattern: string; "x-words": string } {
  const known = isTextKind(kind ?? "line") ? (kind ?? "line") : null;
  if (!isTextKind(known))
    throw new Error(`x-text knows ${Object.keys(TEXT_PATTERNS).join(", ")}, not ${String(kind)}`);
  return { pattern: TEXT_PATTERNS[known], "x-words": TEXT_WORDS[known] };
}

const isTextKind = (kind: unknown): kind is keyof typeof TEXT_PATTERNS =>
  typeof kind === "string" && Object.hasOwn(TEXT_PATTERNS, kind);
