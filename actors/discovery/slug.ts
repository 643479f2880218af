import { searchedText } from "../../base/texts/folded-text.ts";

/** The limit in the API contract. */
const LONGEST = 64;

/** The default slug of a category; "" when its name has no usable characters. Compatible forms may be longer than the name. */
export function slugOf(name: string): string {
  return searchedText(name)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LONGEST)
    .replace(/-$/, "");
}
