import { EMPTY_GLYPHS, HIDDEN } from "../../contract/invisible.ts";
import { withoutForeignMarks } from "./foreign-marks.ts";
import { isPlain } from "./scripts.ts";

/** With what only changes the form of others: signs around Arabic numbers, joiners of hieroglyphs, the abbreviation mark of Syriac. */
const UNREAD = String.raw`[${HIDDEN}\p{Cf}]+`;
const RUNS_OF_UNREAD = new RegExp(UNREAD, "gu");
const EMPTY_GLYPH = new RegExp(`[${EMPTY_GLYPHS}]`, "gu");

/**
 * Marks that can be left out, or added to anything, without another letter: the general ones that didn't compose with a letter
 * (strokes, heaps), and the vowels of scripts that are read without them, Arabic, Hebrew and Syriac. Vowel signs of Indic scripts,
 * of Thai and Thaana, and voicing marks of kana are letters.
 */
export const LOOSE_MARKS =
  /[[\p{Mn}\p{Me}]&&[\p{scx=Zinh}\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}]]+/gv;

const SMALL_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ";
const PLAIN_LETTERS = "abcdefghijklmnoprstuvwyzag";
/** Letters in circles and squares that NFKC doesn't map to plain letters. */
const STYLED = new RegExp(String.raw`[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}${SMALL_CAPITALS}]`, "gu");

/** Letters of any style as plain ones. */
export const withoutStyles = (text: string): string => text.replace(STYLED, unstyled);

function unstyled(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x1_0000) return PLAIN_LETTERS.charAt(SMALL_CAPITALS.indexOf(letter));
  return String.fromCharCode(0x61 + ((code - 0x1_f150) % 0x20));
}

const REGIONAL_LETTERS = /\p{Regional_Indicator}+/gu;
const FIRST_REGIONAL = 0x1_f1e6;
const FLAG = /^\p{RGI_Emoji_Flag_Sequence}$/v;

/** Two regional letters of a country are its flag. Fewer, more or others are letters, as systems without flags show them all. */
function unlessFlag(run: string): string {
  if (FLAG.test(run)) return run;
  return Array.from(run, (letter) =>
    String.fromCharCode(0x61 + (letter.codePointAt(0) ?? 0) - FIRST_REGIONAL),
  ).join("");
}

/** Joined pictures, and flags of regions: of hidden characters they consist. */
const PICTURES = String.raw`\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence}`;
const HIDDEN_BUT_IN_PICTURES = new RegExp(`(${PICTURES})|${UNREAD}`, "gv");
/** Whether a sign is text or picture. Keyboards leave it out at will, but the lists of joined pictures have it where it belongs. */
const PRESENTATION = /[\uFE0E\uFE0F]+/gu;
const PICTURE = "\uFE0F";
const TEXT_SIGN = String.raw`[\p{Extended_Pictographic}--\p{Emoji_Presentation}]`;
const JOINED_TEXT_SIGNS = new RegExp(
  String.raw`${TEXT_SIGN}(?=\u200D)|(?<=\u200D)${TEXT_SIGN}(?!\p{Emoji_Modifier})`,
  "gv",
);
/** Without these there are none, and the slow expression isn't needed. */
const PARTS_OF_PICTURES = /[\u200D\u{E0020}-\u{E007F}]/u;
const SPACES = /\s+/gu;

/** A text as people read it: compatible forms are unified (NFKC), and nothing is hidden in it. */
export const visibleText = (content: string): string =>
  isPlain(content) ? content : shown(content, nothingHidden);

/** Texts with the same one look the same: as visible texts, but joined pictures stay different, and spaces don't count. */
export const seenText = (content: string): string => seenTextOf(content, () => visibleText(content));

/** The same for a text whose visible text may be known. */
export function seenTextOf(content: string, visible: () => string): string {
  const hasPictures = PARTS_OF_PICTURES.test(content);
  const seen = hasPictures ? shown(content, hiddenOnlyInPictures) : visible();
  return seen.replace(SPACES, " ").trim();
}

/** Marks that were left out before those of scripts were: strokes through letters, and heaps of marks. */
const STRAY_MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+/gu;

/**
 * A visible text that still has what words are compared without: blanks, marks of scripts, single regional letters. Expressions
 * may look for these. At most 18 times as long as the content, as NFKC makes it.
 */
export function markedText(content: string): string {
  if (isPlain(content)) return content;
  const visible = nothingHidden(nothingHidden(content).normalize("NFKC"));
  return withoutStyles(visible.replace(STRAY_MARKS, ""));
}

const nothingHidden = (text: string): string => text.replace(RUNS_OF_UNREAD, "");

const hiddenOnlyInPictures = (text: string): string =>
  text
    .replace(PRESENTATION, "")
    .replace(JOINED_TEXT_SIGNS, `$&${PICTURE}`)
    .replace(HIDDEN_BUT_IN_PICTURES, "$1")
    .replaceAll(PICTURE, "");

function shown(content: string, withoutHidden: (text: string) => string): string {
  const letters = content.replace(REGIONAL_LETTERS, unlessFlag);
  // Twice, since compatible forms may consist of hidden characters.
  const visible = withoutHidden(withoutHidden(letters).normalize("NFKC"));
  const tight = withoutForeignMarks(visible.replace(LOOSE_MARKS, ""));
  return withoutStyles(tight.replace(EMPTY_GLYPH, " "));
}
