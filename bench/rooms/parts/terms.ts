import { RoomText } from "../../../realtime/rooms/config/room-text.ts";
import { type BlockedTerm, compileTerms, type TermSet } from "../../../realtime/rooms/config/terms.ts";
import { messageTextOf } from "../../../realtime/rooms/message-check.ts";
import { median } from "../../figures.ts";

const REGEXES = 50;
const SYLLABLES = "ba de fi go ku la me no pi ru sa te vi wo xa ze".split(" ");
/** Of a message that says something, and of the longest that there may be. */
const WORDS = { usual: 9, longest: 80 } as const;
const MESSAGES = 300;

type TermTexts = keyof typeof WORDS;
type TermFigures = Record<TermTexts, { bareUs: number; termsUs: number }>;

/** Of that many terms, fifty of them expressions. */
export function madeTerms(count: number): BlockedTerm[] {
  return Array.from({ length: count }, (_, i) =>
    i < REGEXES
      ? { term: `(buy|sell) +${word(i)}s? (cheap|free)+`, isRegex: true, action: "hold" }
      : { term: i % 3 === 0 ? `${word(i)} ${word(i + 1)}` : word(i), isRegex: false, action: "block" },
  );
}

/** What a text costs that is held against so many terms, beside what each text costs anyway, µs; middle of the rounds. */
export function termCosts(count: number, rounds: number): TermFigures {
  const terms = compileTerms(madeTerms(count), (work) => work());
  return { usual: costsOf(terms, "usual", rounds), longest: costsOf(terms, "longest", rounds) };
}

function costsOf(terms: TermSet, kind: TermTexts, rounds: number) {
  const texts = Array.from({ length: MESSAGES }, (_, i) => textOfWords(i, WORDS[kind]));
  const bare: number[] = [];
  const ours: number[] = [];
  // The first rounds are for the optimiser, and to see each state of the expressions once.
  for (let round = -20; round < rounds; round++) {
    const took = [
      usEach(texts, (text) => messageTextOf(new RoomText(text))),
      usEach(texts, (text) => terms.check(new RoomText(text), { isEmailVerified: false })),
    ];
    if (round < 0) continue;
    bare.push(took[0] ?? 0);
    ours.push(took[1] ?? 0);
  }
  return { bareUs: median(bare), termsUs: median(ours) };
}

function usEach(texts: string[], work: (text: string) => unknown): number {
  const from = performance.now();
  for (const text of texts) work(text);
  return ((performance.now() - from) * 1_000) / texts.length;
}

/** Words as the terms have, seldom the same; one in ten with a digit, one in thirty in Cyrillic letters. */
function textOfWords(n: number, words: number): string {
  return Array.from({ length: words }, (_, i) => {
    const place = n * 7 + i * 13;
    if (place % 30 === 0) return "соседи";
    return place % 10 === 0 ? `${word(place)}4` : `${word(place * 31)}${SYLLABLES[place % 16]}`;
  })
    .join(" ")
    .slice(0, 500);
}

function word(n: number): string {
  const part = (by: number) => SYLLABLES[Math.floor(n / by) % SYLLABLES.length];
  return `${part(1)}${part(16)}${part(256)}`;
}
