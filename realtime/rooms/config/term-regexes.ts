import { RE2JS, RE2JSException, RE2Set } from "re2js";
import type { OnTerm } from "./literal-terms.ts";
import { sizeByRepetitions } from "./regex-repetitions.ts";

/** Instructions of all regexes of a channel: a text of 500 characters takes at most 500 steps of each instruction. */
export const MAX_REGEX_SIZE = 2_000;
/** Cache of the engine for a channel's regexes; past it texts are matched more slowly. */
const MEMORY_BYTES = 1_048_576;

/** Past this estimate a regex isn't compiled to find out its exact size. The estimate is right within a small factor. */
const MAX_BY_REPETITIONS = 5 * MAX_REGEX_SIZE;

/**
 * The number of instructions that a regex compiles to, estimated where there are far too many; null when it doesn't compile.
 * The engine matches in linear time and therefore supports no look-around and no back-references.
 */
export function regexSize(pattern: string): number | null {
  const rough = sizeByRepetitions(pattern);
  if (rough > MAX_BY_REPETITIONS) return rough;
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize();
  } catch (err) {
    if (err instanceof RE2JSException) return null;
    throw err;
  }
}

/** The regexes of one channel, compiled into one automaton that reports which of them match. */
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
