import { isPlain } from "./scripts.ts";
import { LOOSE_MARKS, seenText, seenTextOf, visibleText, withoutStyles } from "./visible-text.ts";

const SPACES = /\s+/gu;

const ARABIC = /\p{sc=Arabic}/u;
/** One letter each to readers of Arabic and Persian: kinds of alef, kaf and yeh that don't decompose into letter and mark. */
const ALEF = /[\u0671-\u0673\u0773\u0774\u0870-\u0882]/gu;
const KAF = /[\u06A9\u06AA]/gu;
const YEH = /[\u0649\u06CC]/gu;
/** Tatweel and its like only make a word longer. */
const STRETCHERS = /[\u0640\u07FA\u0883-\u0885\u180A]+/gu;

/** For comparing words, such as with terms: as people read it, without case, with single spaces. */
export const comparedText = (content: string): string => folded(visibleText(content));

/** Texts with the same one look the same but for case: for names that must be unique, and repeats. */
export const uniqueText = (content: string): string => folded(seenText(content));

/** For searching names and titles: compared, without accents. Kana voicing marks and Thai vowels are letters, and stay. */
export const searchedText = (content: string): string => withoutAccents(comparedText(content));

/** A text in the forms that several rules look at, each of which is computed once, when it is first needed. */
export class TextForms {
  readonly content: string;
  #visible: string | null = null;
  #seen: string | null = null;
  #compared: string | null = null;

  constructor(content: string) {
    this.content = content;
  }

  /** See visibleText. */
  get visible(): string {
    this.#visible ??= visibleText(this.content);
    return this.#visible;
  }

  /** See seenText. */
  get seen(): string {
    this.#seen ??= seenTextOf(this.content, () => this.visible);
    return this.#seen;
  }

  /** See comparedText. */
  get compared(): string {
    this.#compared ??= folded(this.visible);
    return this.#compared;
  }

  /** See uniqueText. */
  get unique(): string {
    return this.seen === this.visible ? this.compared : folded(this.seen);
  }
}

/** A visible or seen text without case. */
function folded(visible: string): string {
  if (isPlain(visible)) return visible.toLowerCase().replace(SPACES, " ");
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

const withoutAccents = (compared: string): string => (isPlain(compared) ? compared : withoutMarks(compared));
