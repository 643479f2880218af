import { foldedText, visibleText } from "../../../store/folded-text.ts";
import type { TermAction } from "../../../store/mongo/blocked-terms.ts";
import { hasLink } from "./links.ts";
import { plainTerms } from "./plain-terms.ts";
import { termRegexes } from "./term-regexes.ts";
import type { Spend } from "./time-share.ts";

/** A term as a room has it (spec §2 ChatBlockedTerm). */
export type BlockedTerm = { term: string; isRegex: boolean; action: TermAction };

/** What a room's terms say of one text, and by which of them. */
export type TermVerdict = { action: "block" | "hold"; term: string };

export type TermAuthor = { isEmailVerified: boolean };

export type TermSet<Term extends BlockedTerm = BlockedTerm> = {
  /** Null where nothing is against it. Throws unavailable when the room's terms take too much of the worker's time. */
  check(content: string, author: TermAuthor): TermVerdict | null;
  /** The same with the term that decides, also where it is one that allows. */
  judge(content: string, author: TermAuthor): { effect: TermEffect; by: Term } | null;
};

/** What a term does to a text that it is in, the strongest first. */
const EFFECTS = ["allow", "block", "hold"] as const;
export type TermEffect = (typeof EFFECTS)[number];

const NO_TERMS: TermSet<never> = { check: () => null, judge: () => null };

/** Of terms that compile. Among those of one effect the first of the list decides. */
export function compileTerms<Term extends BlockedTerm>(terms: readonly Term[], spend: Spend): TermSet<Term> {
  if (terms.length === 0) return NO_TERMS;
  const placed = terms.map(({ term, isRegex }, place) => ({ place, term, isRegex }));
  const findPlain = plainTerms(placed.filter(({ isRegex }) => !isRegex));
  const findRegexes = termRegexes(placed.filter(({ isRegex }) => isRegex));

  function placesIn(content: string): ReadonlySet<number> {
    const found = new Set<number>();
    const visible = visibleText(content);
    findPlain(foldedText(visible), (place) => found.add(place));
    findRegexes(visible, (place) => found.add(place));
    return found;
  }

  function judge(content: string, author: TermAuthor) {
    const places = spend(() => placesIn(content));
    if (places.size === 0) return null;
    const inOrder = [...places].sort((a, b) => a - b).flatMap((place) => terms[place] ?? []);
    const found = inOrder.map((by) => ({ by, effect: effectOf(by, content, author) }));
    for (const effect of EFFECTS) {
      const first = found.find((term) => term.effect === effect);
      if (first) return { effect, by: first.by };
    }
    return null;
  }

  return {
    judge,
    check(content, author) {
      const verdict = judge(content, author);
      if (!verdict || verdict.effect === "allow") return null;
      return { action: verdict.effect, term: verdict.by.term };
    },
  };
}

/** Null where the term is no matter for this text or author. */
function effectOf(
  { action }: BlockedTerm,
  content: string,
  { isEmailVerified }: TermAuthor,
): TermEffect | null {
  if (action === "block_links") return hasLink(content) ? "block" : null;
  if (action === "verified_only") return isEmailVerified ? null : "block";
  return action;
}
