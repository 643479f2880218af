import { hash } from "node:crypto";
import type { DetailsOf } from "../../specs/contract/errors.ts";

const MAX_CODE_POINTS = 500;

/** Pictographs with their modifiers, flags, keycaps and tag sequences. */
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|[\u{E0020}-\u{E007F}]|[0-9#*]\uFE0F?\u20E3)+$/u;
/** Control characters, and surrogates that aren't a pair. */
const UNSPEAKABLE = /[\p{Cc}\p{Cs}]/u;
/** Embeddings, overrides and isolates: they turn the direction of whatever is shown after them, names too. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** A message's text as the room shows it: without what would change how other text looks. */
export const withoutBidiControls = (content: string): string => content.replace(BIDI_CONTROLS, "");

/** What is wrong with a message's text, as `details` of validation_failed; null when it may be sent. */
export function problemWith(content: string): DetailsOf<"validation_failed"> | null {
  const fail = (rule: string, message: string) => ({
    errors: [{ path: "/content", rule, message }],
  });
  if (content.trim() === "") return fail("minLength", "must not be empty");
  // Never more code points than units, which cost nothing to count.
  if (content.length > MAX_CODE_POINTS && [...content].length > MAX_CODE_POINTS) {
    return fail("maxLength", `must NOT have more than ${MAX_CODE_POINTS} characters`);
  }
  if (UNSPEAKABLE.test(content)) {
    return fail("text", "must not have control characters or unpaired surrogates");
  }
  return null;
}

/** Nothing else is in the word. */
export const isEmoji = (word: string): boolean => EMOJI.test(word);

/** Short enough for Redis, long enough that two texts of one room in ten minutes don't share it. */
export function textHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}

/** Case, width, accents' form and spaces don't make a text another one. */
export function normalised(content: string): string {
  return content.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
