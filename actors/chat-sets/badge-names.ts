import { skeletonOfTerm } from "../../realtime/rooms/config/confusables.ts";
import { foldedText, visibleText, withoutAccents } from "../../store/folded-text.ts";
import { withoutPairs } from "../../store/name-skeleton.ts";

const NOT_SEEN_IN_A_BADGE = /[^\p{L}\p{N}]+/gu;

/** A badge's name as it looks at a glance: two names with the same are taken for each other. */
export function badgeSkeleton(name: string): string {
  const folded = withoutAccents(foldedText(visibleText(name))).replaceAll(" ", "");
  const letters = skeletonOfTerm(folded).replace(NOT_SEEN_IN_A_BADGE, "");
  return withoutPairs(letters);
}
