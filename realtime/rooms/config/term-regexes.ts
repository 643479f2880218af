import { RE2JS, RE2JSException, RE2Set } from "re2js";
import type { OnTerm } from "./plain-terms.ts";
import { sizeByRepetitions } from "./regex-repetitions.ts";

/** Instructions of a channel's expressions together: a text of 500 characters takes at most as many steps of each. */
export const MAX_REGEX_SIZE = 2_000;
/** For what an engine remembers of a channel's expressions; past it texts are matched more slowly. */
const MEMORY_BYTES = 1_048_576;

/** Past it an expression isn't compiled to find out its size. The estimate is within a few times of that. */
const MOST_BY_REPETITIONS = 5 * MAX_REGEX_SIZE;

/**
 * Instructions that an expression compiles to, more or less where these are far too many; null when it doesn't compile. In linear
 * time nothing looks around or back.
 */
export function regexSize(pattern: string): number | null {
  const rough = sizeByRepetitions(pattern);
  if (rough > MOST_BY_REPETITIONS) return rough;
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize();
  } catch (err) {
    if (err instanceof RE2JSException) return null;
    throw err;
  }
}

/** Expressions of one channel, as one machine that tells which of them match. */
export function termRegexes(terms: readonly { place: number; term: string }[]) {
  if (terms.length === 0) return () => undefined;
  const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, MEMORY_BYTES);
  for (const { term } of terms) set.add(term);
  set.compile();

  return function find(visible: string, onTerm: OnTerm): void {
    for (const found of set.match(visible)) {
      const term = terms[found];
      if (term) onTerm(term.place);
    }
  };
}
