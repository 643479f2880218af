import { hash } from "node:crypto";
import type { InvalidPart } from "../../contract/errors.ts";
import { BLANK, HIDDEN } from "../../contract/invisible.ts";
import { TEXT_PATTERNS } from "../../contract/text-patterns.ts";

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
const SLASH = new RegExp(
  String.raw`^[${BLANK}${HIDDEN}]*(?:\/|\uFF0F(?=[${HIDDEN}]*[a-z\uFF21-\uFF3A\uFF41-\uFF5A]))`,
  "iu",
);
/** What separates a command's name from the rest. */
const GAP = new RegExp(`[${BLANK}]+`, "u");
const HIDDEN_IN_NAME = new RegExp(`[${HIDDEN}]`, "gu");
/** Of a command's name as it is typed. */
const LONGEST_NAME = 32;

/** A message's text as the room shows it, without characters that affect other text; or what is wrong with it. */
type SanitizedText = { ok: true; content: string } | { ok: false; problem: TextProblem };

/** A fault of a text. Where the text stands in a request, its door knows. */
export type TextProblem = Omit<InvalidPart, "path">;

/** The same rules for REST and sockets: the length counts all characters as sent; what remains must have a visible one. */
export function sanitizedText(written: string): SanitizedText {
  // Counting UTF-16 units is free, and there are never more code points than units.
  if (written.length > MAX_CODE_POINTS && [...written].length > MAX_CODE_POINTS) {
    return refused("maxLength", `must have at most ${MAX_CODE_POINTS} characters`);
  }
  if (FORBIDDEN.test(written)) {
    return refused("text", "must not have control characters or unpaired surrogates");
  }
  const content = written.replace(BIDI_CONTROLS, "");
  return VALID_TEXT.test(content) ? { ok: true, content } : refused("minLength", "must not be empty");
}

function refused(rule: string, message: string): SanitizedText {
  return { ok: false, problem: { rule, message } };
}

/** A text that begins with a slash. `name` has none; it is "" where no command can have what was typed. */
type TypedCommand = { name: string; rest: string };

/** What is typed as a command, in whatever width and case; null for any other text. */
export function typedCommand(content: string): TypedCommand | null {
  const [slash] = SLASH.exec(content) ?? [];
  if (slash === undefined) return null;
  const typed = content.slice(slash.length);
  const [gap, at] = gapIn(typed);
  const name = typed.slice(0, at);
  return {
    name: name.length > LONGEST_NAME ? "" : name.replace(HIDDEN_IN_NAME, "").normalize("NFKC").toLowerCase(),
    rest: typed.slice(at + gap.length),
  };
}

function gapIn(typed: string): [gap: string, at: number] {
  const found = GAP.exec(typed);
  return found ? [found[0], found.index] : ["", typed.length];
}

/** What follows `/me`, which tells of its author in the third person; null for any other text, and if nothing of it shows. */
export function actionIn(content: string): string | null {
  const { name, rest } = typedCommand(content) ?? {};
  return name === "me" && rest !== undefined && VALID_TEXT.test(rest) ? rest : null;
}

/** Whether a message asks to run something, unlike an action. */
export const isCommand = (content: string): boolean =>
  typedCommand(content) !== null && actionIn(content) === null;

/**
 * A command that wasn't run isn't published either: it may say what moderators do, and to whom. The same for commands that
 * don't exist, so that nobody learns which do.
 */
export const COMMAND_REFUSED: TextProblem = {
  rule: "command",
  message: "must not begin with /, since it isn't a command that you can run here",
};

/** Whether the word consists of emoji only. */
export const isEmoji = (word: string): boolean => EMOJI.test(word);

/** Short enough for Redis, long enough that no two texts of one room collide within ten minutes. */
export function textHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
