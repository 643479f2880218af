/** Letters that look like a pair of others. */
const PAIRS: readonly [string, string][] = [
  ["m", "rn"],
  ["w", "vv"],
];

/** A text in lower case with the pair in place of each letter that looks like one: so it doesn't matter where pairs begin. */
export const asPairs = (text: string): string =>
  PAIRS.reduce((read, [letter, pair]) => read.replaceAll(letter, pair), text);

/**
 * What a username looks like: names with the same skeleton are easily taken for one another. Alike are, as far as usernames have them
 * (ASCII letters, digits and `_`, without case), the letters that UTS 39 calls confusable: 0 and o; 1, l and I; rn and m; and vv and w.
 * Underlines are easily overlooked.
 */
export const nameSkeleton = (username: string): string =>
  asPairs(username.toLowerCase().replaceAll("_", "").replaceAll("0", "o").replaceAll(/[1l]/g, "i"));
