import { seenText } from "./visible-text.ts";

/** The limit that the OpenAPI document has for sent tags, in characters. */
export const LONGEST_TAG = 25;

/** Nobody could search for it, and its owner couldn't send it again. */
export const isTooLongTag = (tag: string): boolean => [...tag].length > LONGEST_TAG;

/**
 * A tag as it is stored, shown and searched: what people see of it, in lower case. Twice, since the lower case of a letter may have
 * a mark that is none of its own (İ). Signs that are nothing but a mark (¨) stay as they are.
 */
export const tagFrom = (tag: string): string =>
  seenText(seenText(tag).toLowerCase()) || tag.trim().toLowerCase();

/** An older release's tag as it is stored now. It stays where it would be too long so ("㍿" becomes four letters). */
export function renewedTag(tag: string): string {
  const renewed = tagFrom(tag);
  return isTooLongTag(renewed) ? tag : renewed;
}
