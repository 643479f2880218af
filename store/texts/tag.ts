import { seenText } from "./visible-text.ts";

/**
 * A tag as it is stored, shown and searched: what people see of it, in lower case. Twice, since the lower case of a letter may have
 * a mark that is none of its own (İ). Signs that are nothing but a mark (¨) stay as they are.
 */
export const tagFrom = (tag: string): string =>
  seenText(seenText(tag).toLowerCase()) || tag.trim().toLowerCase();
