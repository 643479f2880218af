import type { Lookup } from "../../store/mongo/searchable.ts";
import {
  exactKey,
  nameTypoKeys,
  prefixKey,
  type SearchKind,
  SHORTEST_WITH_TYPO,
  typoKeys,
} from "../../store/search/keys.ts";
import type { SearchText } from "../../store/search/words.ts";

/** Of those that share a key, so many are held against what is looked for: keys are shorter than texts may be, and single words. */
const HELD_AGAINST = 100;
/** By the longest words, which fewest have. */
const WORDS_LOOKED_UP = 2;

const lengthOf = (word: string): number => [...word].length;

/** What is looked up for a query; `typos` only where the rest finds too little. */
export function lookupsOf(
  query: SearchText,
  kind: SearchKind,
  limit: number,
): { plain: Lookup[]; typos: Lookup[] } {
  const { compact } = query;
  const words = [...new Set(query.words)].sort((a, b) => lengthOf(b) - lengthOf(a));
  const longest = words.length > 1 ? words.slice(0, WORDS_LOOKED_UP) : [];
  const beginning = prefixKey(compact);
  const heldAgainst = (anyOf: readonly string[]): Lookup => ({ anyOf, limit: HELD_AGAINST });
  return {
    plain: [
      { anyOf: [exactKey(query)], limit },
      { anyOf: [beginning], limit: beginning === compact ? limit : HELD_AGAINST },
      ...longest.map((word) => heldAgainst([prefixKey(word)])),
    ],
    typos: [
      heldAgainst(typoKeys(compact)),
      ...(kind === "name" ? [heldAgainst(nameTypoKeys(compact))] : []),
      ...longest
        .filter((word) => lengthOf(word) >= SHORTEST_WITH_TYPO)
        .map((word) => heldAgainst(typoKeys(word))),
    ].filter(({ anyOf }) => anyOf.length > 0),
  };
}
