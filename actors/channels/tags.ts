import { isTooLongTag, LONGEST_TAG, tagFrom } from "../../base/texts/tag.ts";
import { invalid } from "../../contract/errors.ts";

/**
 * Tags as they are stored and searched, without duplicates. Throws validation_failed for a tag that is too long so ("㍿" becomes four
 * letters).
 */
export function tagsFrom(tags: readonly string[]): string[] {
  const stored = tags.map(tagFrom);
  const errors = stored.flatMap((tag, index) =>
    isTooLongTag(tag)
      ? [
          {
            path: `/body/tags/${index}`,
            rule: "maxLength",
            message: `must have at most ${LONGEST_TAG} characters in lower case, with compatible forms written out`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalid(...errors);
  return [...new Set(stored)];
}
