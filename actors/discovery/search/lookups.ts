import {
  exactKey,
  nameTypoKeys,
  prefixKey,
  type SearchKind,
  SHORTEST_WITH_TYPO,
  typoKeys,
} from "../../../base/search/keys.ts";
import type { SearchText } from "../../../base/search/words.ts";
import type { Lookup } from "../../../store/mongo/driver/searchable.ts";

/** How many candidates with the same key are compared to the query; keys are only prefixes or single words of texts. */
const MAX_CANDIDATES = 100;
/** How many words of a query are looked up: the longest ones, which are the most selective. */
const WORDS_LOOKED_UP = 2;

const lengthOf = (word: string): number => [...word].length;

/** The index lookups for a query; `typos` are only used when `plain` finds too little. */
export function lookupsOf(
  query: SearchText,
  kind: SearchKind,
  limit: number,
): { plain: Lookup[]; typos: Lookup[] } {
  const { compact } = query;
  const words = [...new Set(query.words)].sort((a, b) => lengthOf(b) - lengthOf(a));
  const longest = words.length > 1 ? words.slice(0, WORDS_LOOKED_UP) : [];
  const beginning = prefixKey(compact);
  const candidates = (anyOf: readonly string[]): Lookup => ({ anyOf, limit: MAX_CANDIDATES });
  return {
    plain: [
      { anyOf: [exactKey(query)], limit },
      { anyOf: [beginning], limit: beginning === compact ? limit : MAX_CANDIDATES },
      ...longest.map((word) => candidates([prefixKey(word)])),
    ],
    typos: [
      candidates(typoKeys(compact)),
      ...(kind === "name" ? [candidates(nameTypoKeys(compact))] : []),
      ...longest
        .filter((word) => lengthOf(word) >= SHORTEST_WITH_TYPO)
        .map((word) => candidates(typoKeys(word))),
    ].filter(({ anyOf }) => anyOf.length > 0),
  };
}
