/**
 * Patterns of requests that take all that an earlier one took, by that earlier one. Which of two expressions takes more can't be
 * computed here: a spec tries texts of the earlier one. What a release has, stays listed.
 */
export const WIDENED: ReadonlyMap<string, string> = new Map([
  [
    "^[A-Za-z0-9_%+-]+(\\.[A-Za-z0-9_%+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,24}$",
    "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$",
  ],
]);
