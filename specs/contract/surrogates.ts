const SURROGATE = /\\u[dD][89a-fA-F]/;
const BACKSLASH_OR_PAIR = /\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]/g;

/**
 * Names as well as values, at any depth: nothing could store or send them as they are. Told from the text, as
 * UTF-8 has no surrogates and only an escape brings one in. Taking whole pairs out leaves the single ones.
 */
export function hasUnpairedSurrogate(json: string): boolean {
  return SURROGATE.test(json) && SURROGATE.test(json.replaceAll(BACKSLASH_OR_PAIR, " "));
}
