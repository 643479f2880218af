import { SHORTEST_WITH_TYPO } from "../../../base/search/keys.ts";
import { isUnspaced, type SearchText, searchText, startsOf } from "../../../base/search/words.ts";

/** Ranks of matches, best first. */
export const MATCHES = ["exact", "prefix", "typo", "typo in prefix"] as const;
export type Match = (typeof MATCHES)[number];

/** From this length on, a query may match as a prefix of a word with an error in it. */
const SHORTEST_TYPO_IN_PREFIX = 6;

/**
 * How a name or title matches a query, null for no match: each word of the query is a prefix of some word of it, in any
 * order, or the query is a prefix of the whole; one word, or the whole, may have one error.
 */
export function matchOf(query: SearchText, text: string): Match | null {
  const searched = searchText(text);
  if (searched.compact === query.compact) return "exact";
  const starts = startsOf(searched);
  const isFound = (word: string) => starts.some((start) => start.startsWith(word));
  const [wrong, ...more] = query.words.filter((word) => !isFound(word));
  if (wrong === undefined || searched.compact.startsWith(query.compact)) return "prefix";
  const whole = nearest(query.compact, [searched.compact]);
  return more.length > 0 ? whole : (best(whole, nearest(wrong, starts)) ?? null);
}

const best = (one: Match | null, other: Match | null): Match | null => {
  if (one === null || other === null) return one ?? other;
  return MATCHES.indexOf(one) <= MATCHES.indexOf(other) ? one : other;
};

function nearest(typed: string, words: readonly string[]): Match | null {
  if (typed.length < SHORTEST_WITH_TYPO || isUnspaced(typed)) return null;
  if (words.some((word) => isOneEditAway(typed, word, (rest, other) => rest === other))) return "typo";
  if (typed.length < SHORTEST_TYPO_IN_PREFIX) return null;
  const isBeginning = (rest: string, other: string) => other.startsWith(rest);
  return words.some((word) => isOneEditAway(typed, word, isBeginning)) ? "typo in prefix" : null;
}

/** Skips the common prefix, then compares the rests for each possible edit. */
function isOneEditAway(typed: string, word: string, fits: (rest: string, other: string) => boolean): boolean {
  let at = 0;
  while (at < typed.length && typed[at] === word[at]) at++;
  const rests = (of: number, others: number) => fits(typed.slice(at + of), word.slice(at + others));
  const areSwapped = typed[at] === word[at + 1] && typed[at + 1] === word[at];
  return rests(1, 1) || rests(1, 0) || rests(0, 1) || (areSwapped && rests(2, 2));
}
