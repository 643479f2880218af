import { foldedText, withoutAccents } from "../../store/texts/folded-text.ts";
import { visibleText } from "../../store/texts/visible-text.ts";

/** The limit in the API contract. */
const LONGEST = 64;

/** The default slug of a category; "" when its name has no usable characters. Compatible forms may be longer than the name. */
export function slugOf(name: string): string {
  return withoutAccents(foldedText(visibleText(name)))
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, LONGEST)
    .replace(/-$/, "");
}
