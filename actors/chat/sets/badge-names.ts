import { searchedText } from "../../../base/texts/folded-text.ts";
import { asPairs } from "../../../base/texts/name-skeleton.ts";
import { visibleText } from "../../../base/texts/visible-text.ts";
import { skeletonOfTerm } from "../../../realtime/rooms/config/confusables.ts";

const NOT_SEEN_IN_A_BADGE = /[^\p{L}\p{N}]+/gu;

/** Scripts that names mix with Latin letters: those of Chinese, Japanese and Korean (UTS 39, "highly restrictive"). */
const BESIDE_LATIN =
  /[^\P{L}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}]/u;

/** Whether a name has letters of scripts that are mixed in order to deceive: a Greek Μ among Latin letters. */
export const mixesScripts = (name: string): boolean => {
  const visible = visibleText(name);
  return /\p{Script=Latin}/u.test(visible) && BESIDE_LATIN.test(visible);
};

/** A badge's name as it looks at a glance: two names with the same are taken for each other. */
export function badgeSkeleton(name: string): string {
  const letters = skeletonOfTerm(searchedText(name).replaceAll(" ", "")).replace(NOT_SEEN_IN_A_BADGE, "");
  return asPairs(letters);
}
