/**
 * Range of the string keys of several parts ("prediction:user") whose first part is `first`, so that `_id` alone finds
 * them, without another index. ";" is the character that follows ":". `after`: a key of the range, for those behind it
 * ("" = from the first).
 */
export const keysUnder = (first: string, after = "") => ({ $gt: after || `${first}:`, $lt: `${first};` });
