/**
 * The range of composite string keys ("prediction:user") whose first part is `first`, so that they are found by `_id`, without
 * another index. ";" is the character after ":". `after`: a key in the range, for those after it ("" = from the first).
 */
export const keysWithPrefix = (first: string, after = "") => ({
  $gt: after || `${first}:`,
  $lt: `${first};`,
});
