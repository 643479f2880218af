import { foldedText, visibleText, withoutAccents } from "../folded-text.ts";

/** What is left out of a word instead of ending it: "don't" is "dont". */
const APOSTROPHES = /['’ʼ`]/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Written without spaces: a word may begin at each of these. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const MARK = /\p{M}/u;
/** Most names and titles: the same, several times as fast. */
const PLAIN = /^[\x20-\x7E]*$/;
const PLAIN_APOSTROPHES = /['`]/g;
const PLAIN_WORD = /[a-z0-9]+/g;

/** A name or title, or what is looked for, as it is compared: compatible forms are one, without case, accents and signs. */
export type SearchText = {
  words: readonly string[];
  /** All of them without spaces: "dr_who", "Dr. Who" and "drwho" are one name. */
  compact: string;
};

export function searchText(text: string): SearchText {
  if (PLAIN.test(text)) {
    const words = text.toLowerCase().replace(PLAIN_APOSTROPHES, "").match(PLAIN_WORD) ?? [];
    return { words, compact: words.join("") };
  }
  const folded = withoutAccents(foldedText(visibleText(text).replaceAll(APOSTROPHES, "")));
  const words = folded.match(WORD) ?? [];
  return { words, compact: words.join("") };
}

/** Whether a word of it begins as those do that are written without spaces. */
export const isUnspaced = (word: string): boolean => UNSPACED.test(word.slice(0, 2));

/**
 * The rest of each word from every place where somebody may begin to type it. Slices, which cost nothing however many: compatible
 * forms make eight hundred letters of a title of 140.
 */
export function startsOf({ words }: Pick<SearchText, "words">): string[] {
  if (words.every((word) => PLAIN.test(word))) return [...words];
  return words.flatMap((word) => (UNSPACED.test(word) ? startsIn(word) : [word]));
}

function startsIn(word: string): string[] {
  const starts: string[] = [];
  let [at, wasUnspaced] = [0, false];
  for (const letter of word) {
    const isUnspaced = UNSPACED.test(letter);
    if (at === 0 || ((isUnspaced || wasUnspaced) && !MARK.test(letter))) starts.push(word.slice(at));
    at += letter.length;
    wasUnspaced = isUnspaced;
  }
  return starts;
}
