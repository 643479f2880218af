/**
 * The search keys of a name or title, and those that a query looks up (decision 58). Keys are compared as a whole:
 * - "=…": the complete text;
 * - "…": a prefix of the complete text, or of one of its words;
 * - "~…": a prefix of it or of a word with at most one letter left out. Two texts at edit distance one (insertion, deletion,
 *   substitution, or transposition of neighbours) share one of these.
 */
import { isUnspaced, type SearchText, searchText, startsOf } from "./words.ts";

/** Letters of the longest prefix key; in scripts without spaces a prefix starts at each letter. */
const LONGEST_PREFIX = 8;
const LONGEST_UNSPACED = 4;
/** Letters of the prefix in which a typing error is found: of words, and of whole names, so that even a rare name is found. */
const TYPO_LETTERS = 6;
const NAME_TYPO_LETTERS = 16;
/** Shorter words have too many neighbours. */
export const SHORTEST_WITH_TYPO = 4;
const EXACT_LETTERS = 40;
/** Per document; words past it aren't found. */
const MAX_KEYS = 120;

/** For names, typing errors are also found in the whole name; for titles, only in prefixes and words. */
export type SearchKind = "name" | "title";

/** No letter has more than two UTF-16 units, so the rest isn't read. */
const lettersOf = (text: string, length: number): string[] => [...text.slice(0, 2 * length)].slice(0, length);

const prefixOf = (text: string, length: number): string => lettersOf(text, length).join("");

export const exactKey = ({ compact }: SearchText): string => `=${prefixOf(compact, EXACT_LETTERS)}`;

/** The longest prefix key of this word. */
export const prefixKey = (word: string): string =>
  prefixOf(word, isUnspaced(word) ? LONGEST_UNSPACED : LONGEST_PREFIX);

function prefixKeys(start: string): string[] {
  const letters = [...prefixKey(start)];
  return letters.map((_, at) => letters.slice(0, at + 1).join(""));
}

/** None for short words, and for scripts without spaces, where one letter is a word. */
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

/** The keys by which a document with that name or title is found; none for a text without letters. */
export function keysOf(text: string, kind: SearchKind): string[] {
  const searched = searchText(text);
  const { compact } = searched;
  if (compact === "") return [];
  const keys = new Set([exactKey(searched), ...prefixKeys(compact), ...typoKeys(compact)]);
  if (kind === "name") for (const key of nameTypoKeys(compact)) keys.add(key);
  for (const start of startsOf(searched)) {
    for (const key of [...prefixKeys(start), ...typoKeys(start)]) keys.add(key);
    if (keys.size > MAX_KEYS) break;
  }
  return [...keys].slice(0, MAX_KEYS);
}
