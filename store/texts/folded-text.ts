import { LOOSE_MARKS, withoutStyles } from "./visible-text.ts";

const PLAIN = /^[\x20-\x7E]*$/;
const SPACES = /\s+/gu;

const ARABIC = /\p{sc=Arabic}/u;
/** One letter each to readers of Arabic and Persian: kinds of alef, kaf and yeh that don't decompose into letter and mark. */
const ALEF = /[\u0671-\u0673\u0773\u0774\u0870-\u0882]/gu;
const KAF = /[\u06A9\u06AA]/gu;
const YEH = /[\u0649\u06CC]/gu;
/** Tatweel and its like only make a word longer. */
const STRETCHERS = /[\u0640\u07FA\u0883-\u0885\u180A]+/gu;

/** A visible text for comparing words: without case, and with single spaces. */
export function foldedText(visible: string): string {
  if (PLAIN.test(visible)) return visible.toLowerCase().replace(SPACES, " ");
  // Lower, upper and lower case merge letters that have several forms (ß ẞ, ſ, ς, ı).
  const caseless = visible.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  // Small capitals may have capitals.
  const letters = withoutStyles(caseless).replace(STRETCHERS, "").replace(LOOSE_MARKS, "");
  return (ARABIC.test(letters) ? withoutArabicVariants(letters) : letters).replace(SPACES, " ");
}

function withoutArabicVariants(text: string): string {
  const withoutHamzas = text.replace(/\p{sc=Arabic}+/gu, withoutMarks);
  return withoutHamzas.replace(ALEF, "ا").replace(KAF, "ك").replace(YEH, "ي");
}

const withoutMarks = (text: string): string =>
  text.normalize("NFD").replace(LOOSE_MARKS, "").normalize("NFC");

/** A folded text without accents, for searching names and titles. Kana voicing marks and Thai vowels are letters, and stay. */
export const withoutAccents = (folded: string): string =>
  PLAIN.test(folded) ? folded : withoutMarks(folded);
