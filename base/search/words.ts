import { searchedText } from "../texts/folded-text.ts";
import { hasUnspaced, isPlain } from "../texts/scripts.ts";

/** Removed from a word instead of splitting it: "don't" becomes "dont". */
const APOSTROPHES = /['’ʼ`]/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MARK = /\p{M}/u;
const PLAIN_APOSTROPHES = /['`]/g;
const PLAIN_WORD = /[a-z0-9]+/g;

/** A normalised name, title or query: compatible forms are unified; case, accents and signs are removed. */
export type SearchText = {
  words: readonly string[];
  /** All words without spaces: "dr_who", "Dr. Who" and "drwho" are the same name. */
  compact: string;
};

export function searchText(text: string): SearchText {
  // Most names and titles; a fast path with the same result.
  if (isPlain(text)) {
    const words = text.toLowerCase().replace(PLAIN_APOSTROPHES, "").match(PLAIN_WORD) ?? [];
    return { words, compact: words.join("") };
  }
  const words = searchedText(text).replaceAll(APOSTROPHES, "").match(WORD) ?? [];
  return { words, compact: words.join("") };
}

/** Whether one of its first two units is a letter of a script without spaces. */
export const isUnspaced = (word: string): boolean => hasUnspaced(word.slice(0, 2));

/**
 * The suffixes of each word from every position where a user may start to type it. These are slices, which are cheap in any
 * number: with compatible forms a title of 140 letters may become eight hundred.
 */
export function startsOf({ words }: Pick<SearchText, "words">): string[] {
  if (words.every(isPlain)) return [...words];
  return words.flatMap((word) => (hasUnspaced(word) ? startsIn(word) : [word]));
}

function startsIn(word: string): string[] {
  const starts: string[] = [];
  let [at, wasUnspaced] = [0, false];
  for (const letter of word) {
    const isUnspaced = hasUnspaced(letter);
    if (at === 0 || ((isUnspaced || wasUnspaced) && !MARK.test(letter))) starts.push(word.slice(at));
    at += letter.length;
    wasUnspaced = isUnspaced;
  }
  return starts;
}
