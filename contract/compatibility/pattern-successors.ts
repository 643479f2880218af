import { TEXT_PATTERNS } from "../text-patterns.ts";

/**
 * A pattern that may stand where a release has the earlier one; all other changes of a pattern are breaking. `wider`: of requests, and
 * takes all that the earlier one took. Which of two expressions takes more can't be computed: a spec tries texts of the earlier
 * one. `sameMeaning`: refuses more of what was meant to be refused, of requests and answers. What a release has, stays listed.
 */
type Successor = { before: string; after: string; is: "wider" | "sameMeaning"; because: string };

export const SUCCESSORS: readonly Successor[] = [
  {
    before:
      "^[A-Za-z0-9_%+-]+(\\.[A-Za-z0-9_%+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,24}$",
    after:
      "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$",
    is: "wider",
    because: "addresses have all signs of HTML's rule, and hosts in ASCII form (decision 119)",
  },
  {
    before:
      "^[\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u3000\\ufeff]*[^\\u0000-\\u001f\\u007f-\\u009f\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff][^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$",
    after: TEXT_PATTERNS.visible,
    is: "sameMeaning",
    because: "more characters are known that show nothing, of which a text is of no use (decision 118)",
  },
  {
    before:
      "^[\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff]*[^\\u0000-\\u001f\\u007f-\\u009f\\u0020\\u00a0\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff][^\\u0000-\\u001f\\u007f-\\u009f]*$",
    after: TEXT_PATTERNS.spoken,
    is: "sameMeaning",
    because: "as for the pattern before",
  },
];

/** Whether a pattern keeps what the earlier one promised. */
export const isKeptPattern = (before: unknown, after: unknown): boolean =>
  before === after || SUCCESSORS.some((known) => known.before === before && known.after === after);
