import { markedText } from "../../../base/texts/visible-text.ts";
import type { TermAction } from "../../../store/mongo/chat/blocked-terms.ts";
import type { Spend } from "./cpu-budget.ts";
import { literalTerms } from "./literal-terms.ts";
import type { RoomText } from "./room-text.ts";
import { termRegexes } from "./term-regexes.ts";

/** A room's blocked term (ChatBlockedTerm in docs/interface.md#2-resources). */
export type BlockedTerm = { term: string; isRegex: boolean; action: TermAction };

/** The verdict of a room's terms on one text, and the term that decided. */
export type TermVerdict = { action: "block" | "hold"; term: string };

type TermAuthor = { isEmailVerified: boolean };

export type TermSet<Term extends BlockedTerm = BlockedTerm> = {
  /** Null when no term objects. Throws unavailable when the room's terms take too much of the worker's CPU time. */
  check(text: RoomText, author: TermAuthor): TermVerdict | null;
  /** The same with the deciding term, even when that allows the text. */
  judge(text: RoomText, author: TermAuthor): { effect: TermEffect; by: Term } | null;
};

/** What a term does to a text that it matches, the strongest effect first. */
const EFFECTS = ["allow", "block", "hold"] as const;
export type TermEffect = (typeof EFFECTS)[number];

const NO_TERMS: TermSet<never> = { check: () => null, judge: () => null };

/** All terms must compile. Among terms with the same effect the first in the list decides. */
export function compileTerms<Term extends BlockedTerm>(terms: readonly Term[], spend: Spend): TermSet<Term> {
  if (terms.length === 0) return NO_TERMS;
  const placed = terms.map(({ term, isRegex }, place) => ({ place, term, isRegex }));
  const findPlain = literalTerms(placed.filter(({ isRegex }) => !isRegex));
  const findRegexes = termRegexes(placed.filter(({ isRegex }) => isRegex));

  const hasRegexes = placed.some(({ isRegex }) => isRegex);

  function placesIn({ content, compared, visible }: RoomText): ReadonlySet<number> {
    const found = new Set<number>();
    findPlain(compared, (place) => found.add(place));
    findRegexes(visible, (place) => found.add(place));
    const marked = hasRegexes ? markedText(content) : visible;
    if (marked !== visible) findRegexes(marked, (place) => found.add(place));
    return found;
  }

  function judged(text: RoomText, author: TermAuthor) {
    const places = placesIn(text);
    if (places.size === 0) return null;
    const inOrder = [...places].sort((a, b) => a - b).flatMap((place) => terms[place] ?? []);
    const found = inOrder.map((by) => ({ by, effect: effectOf(by, text, author) }));
    for (const effect of EFFECTS) {
      const first = found.find((term) => term.effect === effect);
      if (first) return { effect, by: first.by };
    }
    return null;
  }

  const judge = (text: RoomText, author: TermAuthor) => spend(() => judged(text, author));

  return {
    judge,
    check(text, author) {
      const verdict = judge(text, author);
      if (!verdict || verdict.effect === "allow") return null;
      return { action: verdict.effect, term: verdict.by.term };
    },
  };
}

/** Null when the term doesn't apply to this text or author. */
function effectOf(
  { action }: BlockedTerm,
  text: RoomText,
  { isEmailVerified }: TermAuthor,
): TermEffect | null {
  if (action === "block_links") return text.hasLink ? "block" : null;
  if (action === "verified_only") return isEmailVerified ? null : "block";
  return action;
}
