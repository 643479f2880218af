import { invalid } from "../../specs/contract/errors.ts";
import { tagFrom } from "../../store/texts/tag.ts";

/** The limit that the OpenAPI document has for sent tags. */
const MAX_CHARACTERS = 25;

/**
 * Tags as they are stored and searched, without duplicates. Throws validation_failed for a tag that is too long so ("㍿" becomes four
 * letters): nobody could search for it, and its owner couldn't send it again.
 */
export function tagsFrom(tags: readonly string[]): string[] {
  const stored = tags.map(tagFrom);
  const errors = stored.flatMap((tag, index) =>
    [...tag].length > MAX_CHARACTERS
      ? [
          {
            path: `/body/tags/${index}`,
            rule: "maxLength",
            message: `must have at most ${MAX_CHARACTERS} characters in lower case, with compatible forms written out`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalid(...errors);
  return [...new Set(stored)];
}
