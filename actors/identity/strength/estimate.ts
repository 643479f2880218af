import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary as common } from "@zxcvbn-ts/language-common";
import { dictionary as english } from "@zxcvbn-ts/language-en";

/**
 * What is looked at at once. The time grows with the square of it and more: 128 characters of "p4$$w0rd" took 8 s, 40 take a
 * quarter of one.
 */
const LOOKED_AT = 40;
/** Of letters that stand for others; at the library's 100 the same 40 characters take two seconds. */
const MOST_SUBSTITUTIONS = 10;

/** Makes the dictionaries, which takes half a second. */
export function createEstimate(): (password: string, ownWords: readonly string[]) => number {
  const zxcvbn = new ZxcvbnFactory({
    dictionary: { ...common, ...english },
    graphs: adjacencyGraphs,
    maxLength: LOOKED_AT,
    l33tMaxSubstitutions: MOST_SUBSTITUTIONS,
  });
  const scoreOf = (part: string, ownWords: readonly string[]) => zxcvbn.check(part, [...ownWords]).score;

  /** 0 (guessed at once) to 4, as of zxcvbn; of a long password the better of its beginning and its end. */
  return (password, ownWords) => {
    const first = scoreOf(password.slice(0, LOOKED_AT), ownWords);
    if (password.length <= LOOKED_AT || first === 4) return first;
    return Math.max(first, scoreOf(password.slice(-LOOKED_AT), ownWords));
  };
}
