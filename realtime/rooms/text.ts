import { hash } from "node:crypto";
import type { DetailsOf } from "../../specs/contract/errors.ts";
import { TEXT_PATTERNS } from "../../specs/contract/text-patterns.ts";

const MAX_CODE_POINTS = 500;

/** Pictographs with their modifiers, flags, keycaps and tag sequences. A single regional letter is a letter. */
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{RGI_Emoji_Flag_Sequence}|\u200D|\uFE0F|[\u{E0020}-\u{E007F}]|[0-9#*]\uFE0F?\u20E3)+$/v;
/** The same pattern that the OpenAPI document has for REST requests; requests by socket are checked here. */
const VALID_TEXT = new RegExp(TEXT_PATTERNS.spoken, "u");
/** Control characters, and surrogates that aren't a pair. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
/** Embeddings, overrides and isolates: they change the direction of all text displayed after them, names included. */
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/**
 * A slash at the beginning, also one that a Japanese or Chinese keyboard writes before a word. Spaces and characters that
 * don't show may stand before it: some clients write them, and they would be read as a command that failed.
 */
const COMMAND =
  /^[\p{White_Space}\u2800\p{Default_Ignorable_Code_Point}]*(?:\/|\uFF0F(?=[a-z\uFF21-\uFF3A\uFF41-\uFF5A]))/iu;

/** A message's text as the room shows it, without characters that affect other text; or what is wrong with it. */
type SanitizedText =
  | { ok: true; content: string }
  /** `details` of validation_failed. */
  | { ok: false; problem: DetailsOf<"validation_failed"> };

/** The same rules for REST and sockets: the length counts all characters as sent; what remains must have a visible one. */
export function sanitizedText(written: string): SanitizedText {
  // Counting UTF-16 units is free, and there are never more code points than units.
  if (written.length > MAX_CODE_POINTS && [...written].length > MAX_CODE_POINTS) {
    return refused("maxLength", `must NOT have more than ${MAX_CODE_POINTS} characters`);
  }
  if (FORBIDDEN.test(written)) {
    return refused("text", "must not have control characters or unpaired surrogates");
  }
  const content = written.replace(BIDI_CONTROLS, "");
  return VALID_TEXT.test(content) ? { ok: true, content } : refused("minLength", "must not be empty");
}

function refused(rule: string, message: string): SanitizedText {
  return { ok: false, problem: { errors: [{ path: "/content", rule, message }] } };
}

/** What follows `/me`, which tells of its author in the third person; null for any other text, and if nothing of it shows. */
export function actionIn(content: string): string | null {
  const action = /^\s*\/me\s+(?=\S)(.*)$/isu.exec(content)?.[1];
  return action !== undefined && VALID_TEXT.test(action) ? action : null;
}

/** What is typed as a command, beginning with `/`; null for any other text. */
export function typedCommand(content: string): string | null {
  const slash = COMMAND.exec(content);
  return slash && `/${content.slice(slash[0].length)}`;
}

/**
 * A command that wasn't run isn't published either: it may say what moderators do, and to whom. The same for commands that
 * don't exist, so that nobody learns which do.
 */
export const COMMAND_REFUSED = {
  path: "/content",
  rule: "command",
  message: "must not begin with /, since it isn't a command that you can run here",
} as const;

/** Whether the word consists of emoji only. */
export const isEmoji = (word: string): boolean => EMOJI.test(word);

/** Short enough for Redis, long enough that no two texts of one room collide within ten minutes. */
export function textHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
