import { invalid } from "../../specs/contract/errors.ts";
import { tagFrom } from "../../store/mongo/streams.ts";

/** The limit that the OpenAPI document has for sent tags. */
const MAX_CHARACTERS = 25;

/**
 * Tags as they are stored and searched: in lower case, without duplicates. Throws validation_failed for a tag that is too long
 * in lower case ("İ" becomes two characters): nobody could search for it, and its owner couldn't send it again.
 */
export function tagsFrom(tags: readonly string[]): string[] {
  const stored = tags.map(tagFrom);
  const errors = stored.flatMap((tag, index) =>
    [...tag].length > MAX_CHARACTERS
      ? [
          {
            path: `/body/tags/${index}`,
            rule: "maxLength",
            message: `must have at most ${MAX_CHARACTERS} characters in lower case`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalid(...errors);
  return [...new Set(stored)];
}
