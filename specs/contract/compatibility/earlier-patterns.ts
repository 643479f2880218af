import { TEXT_PATTERNS } from "../text-patterns.ts";

/**
 * Earlier patterns of texts of which something must show. Later ones know more characters that show nothing; what they refuse
 * besides was meant to be refused, and is of no use to anybody (decision 118). All other changes of a pattern are breaking.
 */
const EARLIER = new Map<unknown, string>([
  [
    "^[\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u3000\\ufeff]*[^\\u0000-\\u001f\\u007f-\\u009f\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff][^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$",
    TEXT_PATTERNS.visible,
  ],
  [
    "^[\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff]*[^\\u0000-\\u001f\\u007f-\\u009f\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff][^\\u0000-\\u001f\\u007f-\\u009f]*$",
    TEXT_PATTERNS.spoken,
  ],
]);

export const isSamePattern = (before: unknown, after: unknown): boolean =>
  before === after || (after !== undefined && EARLIER.get(before) === after);
