/**
 * By which keys a name or title is found, and which keys a query looks for (decision 58). Keys are compared as a whole:
 * - "=…": all of it;
 * - "…": a beginning of all of it, or of one of its words;
 * - "~…": a beginning of it or of a word with one letter left out, or none. Two texts that are one edit apart (a letter more, less,
 *   another one, or two that changed places) share one of these.
 */
import { isUnspaced, type SearchText, searchText, startsOf } from "./words.ts";

/** Letters of the longest beginning that has a key; of texts without spaces, where each letter begins one. */
const LONGEST_PREFIX = 8;
const LONGEST_UNSPACED = 4;
/** Letters of the beginnings in which a typing error is found, of words; and of whole names, so that also a rare one is found. */
const TYPO_LETTERS = 6;
const NAME_TYPO_LETTERS = 16;
/** Shorter ones have too many neighbours. */
export const SHORTEST_WITH_TYPO = 4;
const EXACT_LETTERS = 40;
/** Of one document; words that come after are not found. */
const MOST_KEYS = 120;

/** Of names the whole is looked through for typing errors; of titles their words. */
export type SearchKind = "name" | "title";

/** No letter is longer than two units: the rest isn't looked at. */
const lettersOf = (text: string, length: number): string[] => [...text.slice(0, 2 * length)].slice(0, length);

const begin = (text: string, length: number): string => lettersOf(text, length).join("");

export const exactKey = ({ compact }: SearchText): string => `=${begin(compact, EXACT_LETTERS)}`;

/** The longest key of the beginnings that this one has. */
export const prefixKey = (word: string): string =>
  begin(word, isUnspaced(word) ? LONGEST_UNSPACED : LONGEST_PREFIX);

function prefixKeys(start: string): string[] {
  const letters = [...prefixKey(start)];
  return letters.map((_, at) => letters.slice(0, at + 1).join(""));
}

/** None for what is too short, or is written without spaces: there one letter is a word. */
function deletions(text: string, length: number): string[] {
  if (isUnspaced(text)) return [];
  const letters = lettersOf(text, length);
  if (letters.length < SHORTEST_WITH_TYPO) return [];
  return [`~${letters.join("")}`, ...letters.map((_, at) => `~${letters.toSpliced(at, 1).join("")}`)];
}

export const typoKeys = (word: string): string[] => [...new Set(deletions(word, TYPO_LETTERS))];
export const nameTypoKeys = (compact: string): string[] => [
  ...new Set(deletions(compact, NAME_TYPO_LETTERS)),
];

/** What a document with that name or title is found by; none without a letter. */
export function keysOf(text: string, kind: SearchKind): string[] {
  const searched = searchText(text);
  const { compact } = searched;
  if (compact === "") return [];
  const keys = new Set([exactKey(searched), ...prefixKeys(compact), ...typoKeys(compact)]);
  if (kind === "name") for (const key of nameTypoKeys(compact)) keys.add(key);
  for (const start of startsOf(searched)) {
    for (const key of [...prefixKeys(start), ...typoKeys(start)]) keys.add(key);
    if (keys.size > MOST_KEYS) break;
  }
  return [...keys].slice(0, MOST_KEYS);
}
