import { isIP } from "node:net";
import { parse } from "tldts";
import { isPlain } from "../../../base/texts/scripts.ts";
import { visibleText } from "../../../base/texts/visible-text.ts";
import { toLatin } from "./confusables.ts";

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/**
 * Top-level domains that hardly ever end a word before the next one. Other ASCII ones are words as well (`world`, `so`, `it`), and
 * links only with a path or a port. Which there are, the public suffix list says.
 */
const CERTAIN = setOf(
  "com net org edu gov mil int info biz io gg tv co xyz dev app ly fm ai icu gl gle ee cc ws vip " +
    "club online site website blog shop store casino porn sex xxx dating bet click link " +
    "de fr es uk eu ru ua nl pl cz sk ch dk fi pt gr tr ro hu bg lt lv ca mx br ar cl pe jp cn kr tw hk sg " +
    "th vn ph au nz za ng ke eg ir ae pk kz by ge su tk ml cf gq",
);

const SCHEME = /[a-z]:\/\/[^\s/]/u;
const WWW = /(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]/u;
/** A dot to hosts, as IDNA reads it. Before kana it only ends a sentence, since the few suffixes of kana are words (`みんな`). */
const IDEOGRAPHIC_DOT = /。(?![\p{sc=Hiragana}\p{sc=Katakana}])/gu;
/** A host with what follows: a path, a query, a fragment or a port makes a link of what might be words. */
const HOST = /([\p{L}\p{M}\p{N}.-]+)([/?]|#[\p{L}\p{N}/!]|:\p{N})?/gu;
const RUNS_OF_DOTS = /\.{2,}/u;
const END_OF_SENTENCE = /(?<![.-])[.-]+$/u;
const LETTER = /\p{L}/u;
/** Particles and endings of other scripts are attached without a space: `naver.com에서`, `evil.com-а`. */
const BEFORE_OTHER_SCRIPT = /^[a-z0-9\-]+(?=[\p{L}--\p{sc=Latin}])/v;
const LAST_HYPHENS = /(?<!-)-+$/u;
/** Labels from the end in which a public suffix is looked for: all of them have fewer. */
const LONGEST_SUFFIX = 5;
const AS_IT_IS = { extractHostname: false, validateHostname: false } as const;

/**
 * Whether a text contains a link: with a scheme or `www.`, or a bare host, also as a part of an email address; an IPv4 address with a
 * path or a port too. Linear in the text length; hidden characters, other dots and look-alike letters in the top-level domain make
 * no difference.
 */
export const hasLink = (content: string): boolean => hasLinkIn(visibleText(content));

/** The same for a text as people read it. */
export function hasLinkIn(visible: string): boolean {
  const text = visible.toLowerCase().replace(IDEOGRAPHIC_DOT, ".");
  if (!text.includes(".") && !text.includes("://")) return false;
  if (SCHEME.test(text) || WWW.test(text)) return true;
  for (const [, hosts = "", further] of text.matchAll(HOST)) {
    if (hosts.includes(".") && isHost(hosts, further !== undefined)) return true;
  }
  return false;
}

/** The public suffix of a host, by what registries have; null for a host that has none. */
export function publicSuffixOf(host: string): string | null {
  const { publicSuffix, isIcann } = parse(host, AS_IT_IS);
  return isIcann === true ? publicSuffix : null;
}

function isHost(word: string, isFollowed: boolean): boolean {
  return word.split(RUNS_OF_DOTS).some((host) => {
    const named = host.replace(END_OF_SENTENCE, "");
    const labels = named.split(".");
    const last = labels.at(-1) ?? "";
    const before = labels.at(-2) ?? "";
    if (before === "") return false;
    if (!LETTER.test(last)) return isFollowed && isIP(named) === 4;
    return endsOf(last).some((end) => isSuffix([...labels.slice(-LONGEST_SUFFIX, -1), end], isFollowed));
  });
}

/** What the last label may be: itself, as it looks, or what stands before letters of another script. */
function endsOf(last: string): string[] {
  if (isPlain(last)) return [last];
  const leading = BEFORE_OTHER_SCRIPT.exec(last)?.[0].replace(LAST_HYPHENS, "");
  return [last, toLatin(last), ...(leading ? [leading] : [])];
}

function isSuffix(labels: readonly string[], isFollowed: boolean): boolean {
  const end = labels.at(-1) ?? "";
  if (CERTAIN.has(end)) return true;
  const suffix = publicSuffixOf(labels.join("."));
  if (suffix === null) return false;
  // Those of other scripts, and those of several labels, hardly ever come about by a sentence without a space.
  return isFollowed || !isPlain(end) || end.startsWith("xn--") || suffix.includes(".");
}
