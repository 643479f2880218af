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

/** Of those that share a key, so many are held against what is looked for: keys are shorter than words may be. */
const HELD_AGAINST = 100;
/** By the longest words, which fewest have, the others being looked for among what those find. */
const WORDS_LOOKED_UP = 2;
const MOST_OTHERS = 6;

const lengthOf = (word: string): number => [...word].length;

/** What is looked up for a query; `typos` only where the rest finds too little. */
export function lookupsOf(
  query: SearchText,
  kind: SearchKind,
  limit: number,
): { plain: Lookup[]; typos: Lookup[] } {
  const { compact } = query;
  const words = [...new Set(query.words)].sort((a, b) => lengthOf(b) - lengthOf(a));
  const beginning = prefixKey(compact);
  const one = (anyOf: readonly string[], most: number): Lookup => ({ anyOf, others: [], limit: most });
  const among = (word: string, anyOf: readonly string[]): Lookup => {
    const others = words.filter((other) => other !== word).map(prefixKey);
    return { anyOf, others: [...new Set(others)].slice(0, MOST_OTHERS), limit };
  };
  const several = words.length > 1 ? words.slice(0, WORDS_LOOKED_UP) : [];
  return {
    plain: [
      one([exactKey(query)], limit),
      one([beginning], beginning === compact ? limit : HELD_AGAINST),
      ...several.map((word) => among(word, [prefixKey(word)])),
    ],
    typos: [
      one(typoKeys(compact), HELD_AGAINST),
      ...(kind === "name" ? [one(nameTypoKeys(compact), HELD_AGAINST)] : []),
      ...several
        .filter((word) => lengthOf(word) >= SHORTEST_WITH_TYPO)
        .map((word) => among(word, typoKeys(word))),
    ].filter(({ anyOf }) => anyOf.length > 0),
  };
}
