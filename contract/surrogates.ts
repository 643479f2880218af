const SURROGATE = /\\u[dD][89a-fA-F]/;
const BACKSLASH_OR_PAIR = /\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]/g;

/**
 * Checks names and values, at any depth: nothing could store or send unpaired surrogates. It reads the text, since UTF-8 has no
 * surrogates and only an escape can contain one. Removing whole pairs leaves the single ones.
 */
export function hasUnpairedSurrogate(json: string): boolean {
  return SURROGATE.test(json) && SURROGATE.test(json.replaceAll(BACKSLASH_OR_PAIR, " "));
}
