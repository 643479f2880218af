/**
 * Letters of other scripts, digits and signs that are read as Latin letters: what people write to get around a list.
 * Each is one UTF-16 unit that stands for one, so that places in a text stay the same. All in small letters.
 */

const pairs = (from: string, to: string): [string, string][] =>
  [...from].map((letter, i) => [letter, to.charAt(i)]);

/** Nobody can tell them apart, so they count also in a word that has no Latin letter. */
const SAME = new Map(pairs("асеорхуіјѕԁԛԝһαορν", "aceopxyijsdqwhaopv"));
/** They look alike only beside Latin letters; by themselves they are words of their own language. */
const SIMILAR = pairs("вгкмнптьӏяшёβγεηικτυχωμ", "brkmhntblrwebyeniktuxwu");
const LETTERS = new Map([...SAME, ...SIMILAR]);
const LEET = new Map([...pairs("01345789", "oieastbg"), ...pairs("@$!|€", "asiie")]);

const FOREIGN = /[\u0370-\u052F]/u;
const LATIN = /[a-z]/u;
const LETTER = /\p{L}/u;
const OF_WORD = /[\p{L}\p{M}\p{N}€]/u;
/** What follows a word more often than it is a letter of it. */
const AT_THE_END = /(?<![@!|€])[@!|€]+$/u;

const ORDINARY = 1;
const SUSPICIOUS = 2;
/** Of each unit below U+0530: nothing, a part of a word, or one that may be read as something else. */
const KINDS = Uint8Array.from({ length: 0x530 }, (_, code) => {
  const unit = String.fromCharCode(code);
  if (LEET.has(unit) || LETTERS.has(unit)) return SUSPICIOUS;
  return OF_WORD.test(unit) ? ORDINARY : 0;
});

function kindOf(code: number, text: string, at: number): number {
  if (code < KINDS.length) return KINDS[code] ?? 0;
  if (code === 0x20ac) return SUSPICIOUS;
  return OF_WORD.test(text.charAt(at)) ? ORDINARY : 0;
}

/** A text read as it looks. `i` and `l` are one letter in it, as `1` may be either. */
export type Looks = {
  text: string;
  /** Whether anything between the two places is not what it looks like. */
  deceives(from: number, to: number): boolean;
};

/** Of a folded text; null when all of it is what it looks like. */
export function looksOf(folded: string): Looks | null {
  const read = eachSuspiciousWord(folded, wordAsRead);
  if (read === folded) return null;
  const counts = new Uint16Array(folded.length + 1);
  for (let at = 0; at < folded.length; at++) {
    counts[at + 1] = (counts[at] ?? 0) + (read.charCodeAt(at) === folded.charCodeAt(at) ? 0 : 1);
  }
  return { text: read.replaceAll("l", "i"), deceives: (from, to) => counts[from] !== counts[to] };
}

/** A folded term as texts that deceive are compared with it. */
export const looksOfTerm = (folded: string): string =>
  eachSuspiciousWord(folded, (word) => withLeet(replaced(word, LETTERS))).replaceAll("l", "i");

/** Every letter of another script that looks Latin. */
export const inLatin = (folded: string): string => replaced(folded, LETTERS);

/** `read` gives back as many units as it is given. */
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

function wordAsRead(word: string): string {
  if (!LETTER.test(word)) return word;
  return withLeet(FOREIGN.test(word) ? withLatin(word) : word);
}

function withLatin(word: string): string {
  const letters = [...word];
  const isMixed = LATIN.test(word) || letters.some((letter) => LEET.has(letter));
  if (isMixed) return replaced(word, LETTERS);
  return letters.every((letter) => SAME.has(letter)) ? replaced(word, SAME) : word;
}

/** A number, or signs without a letter, are what they are. */
function withLeet(word: string): string {
  if (!LETTER.test(word)) return word;
  const end = word.search(AT_THE_END);
  return end < 0 ? replaced(word, LEET) : replaced(word.slice(0, end), LEET) + word.slice(end);
}

function replaced(word: string, by: ReadonlyMap<string, string>): string {
  let result = "";
  for (const letter of word) result += by.get(letter) ?? letter;
  return result;
}
