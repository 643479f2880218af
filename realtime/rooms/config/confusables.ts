/**
 * Letters of other scripts, digits and signs that look like Latin letters: people use them to get around blocked terms.
 * Each is one UTF-16 unit and maps to one, so that offsets in a text stay the same. All are lower case.
 */

const pairs = (from: string, to: string): [string, string][] =>
  [...from].map((letter, i) => [letter, to.charAt(i)]);

/** Indistinguishable from the Latin letter, so they are mapped even in a word without any Latin letter. */
const IDENTICAL = new Map(pairs("асеорхуіјѕԁԛԝһαορν", "aceopxyijsdqwhaopv"));
/** They look alike only next to Latin letters; on their own they form words of their own language. */
const SIMILAR = pairs("вгкмнптьӏяшёβγεηικτυχωμ", "brkmhntblrwebyeniktuxwu");
const LETTERS = new Map([...IDENTICAL, ...SIMILAR]);
const LEET = new Map([...pairs("01345789", "oieastbg"), ...pairs("@$!|€", "asiie")]);

const FOREIGN = /[\u0370-\u052F]/u;
const LATIN = /[a-z]/u;
const LETTER = /\p{L}/u;
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}€]/u;
/** Signs at the end of a word: they are more often punctuation than letters. */
const TRAILING_SIGNS = /(?<![@!|€])[@!|€]+$/u;

const ORDINARY = 1;
const SUSPICIOUS = 2;
/** For each unit below U+0530: 0 (not part of a word), part of a word, or one that may look like another letter. */
const KINDS = Uint8Array.from({ length: 0x530 }, (_, code) => {
  const unit = String.fromCharCode(code);
  if (LEET.has(unit) || LETTERS.has(unit)) return SUSPICIOUS;
  return WORD_CHARACTER.test(unit) ? ORDINARY : 0;
});

function kindOf(code: number, text: string, at: number): number {
  if (code < KINDS.length) return KINDS[code] ?? 0;
  if (code === 0x20ac) return SUSPICIOUS;
  return WORD_CHARACTER.test(text.charAt(at)) ? ORDINARY : 0;
}

/** A text as it looks to a reader. `i` and `l` are the same letter in it, since `1` may be either. */
type Skeleton = {
  text: string;
  /** Whether any unit in the range [from, to) differs from what it looks like. */
  deceives(from: number, to: number): boolean;
};

/** The skeleton of a folded text; null when it equals the text. */
export function skeletonOf(folded: string): Skeleton | null {
  const read = eachSuspiciousWord(folded, readWord);
  if (read === folded) return null;
  const counts = new Uint16Array(folded.length + 1);
  for (let at = 0; at < folded.length; at++) {
    counts[at + 1] = (counts[at] ?? 0) + (read.charCodeAt(at) === folded.charCodeAt(at) ? 0 : 1);
  }
  return { text: read.replaceAll("l", "i"), deceives: (from, to) => counts[from] !== counts[to] };
}

/** The skeleton of a folded term, to be searched for in skeletons of texts. */
export const skeletonOfTerm = (folded: string): string =>
  eachSuspiciousWord(folded, (word) => withLeet(replaced(word, LETTERS))).replaceAll("l", "i");

/** Replaces every letter of another script that looks Latin. */
export const toLatin = (folded: string): string => replaced(folded, LETTERS);

/** `read` has to return as many UTF-16 units as it gets. */
function eachSuspiciousWord(text: string, read: (word: string) => string): string {
  let result = "";
  let done = 0;
  let start = 0;
  let isSuspicious = false;
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at), text, at) : 0;
    if (kind === SUSPICIOUS) isSuspicious = true;
    if (kind !== 0) continue;
    if (isSuspicious) {
      result += text.slice(done, start) + read(text.slice(start, at));
      done = at;
      isSuspicious = false;
    }
    start = at + 1;
  }
  return done === 0 ? text : result + text.slice(done);
}

function readWord(word: string): string {
  if (!LETTER.test(word)) return word;
  return withLeet(FOREIGN.test(word) ? withLatin(word) : word);
}

function withLatin(word: string): string {
  const letters = [...word];
  const isMixed = LATIN.test(word) || letters.some((letter) => LEET.has(letter));
  if (isMixed) return replaced(word, LETTERS);
  return letters.every((letter) => IDENTICAL.has(letter)) ? replaced(word, IDENTICAL) : word;
}

/** A number, or signs without a letter, stay as they are. */
function withLeet(word: string): string {
  if (!LETTER.test(word)) return word;
  const end = word.search(TRAILING_SIGNS);
  return end < 0 ? replaced(word, LEET) : replaced(word.slice(0, end), LEET) + word.slice(end);
}

function replaced(word: string, by: ReadonlyMap<string, string>): string {
  let result = "";
  for (const letter of word) result += by.get(letter) ?? letter;
  return result;
}
