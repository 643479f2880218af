import { hash } from "node:crypto";
import type { DetailsOf } from "../../specs/contract/errors.ts";
import { TEXT_PATTERNS } from "../../specs/contract/openapi/text.ts";

const MAX_CODE_POINTS = 500;

/** Pictographs with their modifiers, flags, keycaps and tag sequences. */
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|[\u{E0020}-\u{E007F}]|[0-9#*]\uFE0F?\u20E3)+$/u;
/** As the document says it of requests by REST; the sockets' are held to it here. */
const SPOKEN = new RegExp(TEXT_PATTERNS.spoken, "u");
/** Control characters, and surrogates that aren't a pair. */
const UNSPEAKABLE = /[\p{Cc}\p{Cs}]/u;
/** Embeddings, overrides and isolates: they turn the direction of whatever is shown after them, names too. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** A message's text as the room shows it, without what would change how other text looks; or what is wrong with it. */
type Spoken =
  | { ok: true; content: string }
  /** As `details` of validation_failed. */
  | { ok: false; problem: DetailsOf<"validation_failed"> };

/** The same for every door: what was written counts with all its characters, what is left must have something to be seen. */
export function spokenText(written: string): Spoken {
  // Never more code points than units, which cost nothing to count.
  if (written.length > MAX_CODE_POINTS && [...written].length > MAX_CODE_POINTS) {
    return refused("maxLength", `must NOT have more than ${MAX_CODE_POINTS} characters`);
  }
  if (UNSPEAKABLE.test(written)) {
    return refused("text", "must not have control characters or unpaired surrogates");
  }
  const content = written.replace(BIDI_CONTROLS, "");
  return SPOKEN.test(content) ? { ok: true, content } : refused("minLength", "must not be empty");
}

function refused(rule: string, message: string): Spoken {
  return { ok: false, problem: { errors: [{ path: "/content", rule, message }] } };
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
