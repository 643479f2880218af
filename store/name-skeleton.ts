/** Pairs of letters that look like one. */
const PAIRS: readonly [string, string][] = [
  ["rn", "m"],
  ["vv", "w"],
];

/** A text in lower case with one letter for each pair that looks like it. */
export const withoutPairs = (text: string): string =>
  PAIRS.reduce((read, [pair, letter]) => read.replaceAll(pair, letter), text);

/**
 * What a username looks like: names with the same skeleton are easily taken for one another. Alike are, as far as usernames have them
 * (ASCII letters, digits and `_`, without case), the letters that UTS 39 calls confusable: 0 and o; 1, l and I; rn and m; and vv and w.
 * Underlines are easily overlooked.
 */
export const nameSkeleton = (username: string): string =>
  withoutPairs(username.toLowerCase().replaceAll("_", "").replaceAll("0", "o").replaceAll(/[1l]/g, "i"));
