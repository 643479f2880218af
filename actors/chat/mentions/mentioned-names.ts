import { visibleText } from "../../../base/texts/visible-text.ts";
import { hasLinkIn, publicSuffixOf } from "../../../realtime/rooms/config/links.ts";

const MAX_NAMES = 10;
/** Names that are looked at, so that a message of nothing else costs little. */
const MAX_CANDIDATES = 3 * MAX_NAMES;

/** Any sign that looks like an @, to find texts without one quickly. */
export const HAS_AT = /[@＠﹫]/u;

/** An @ that follows a letter or a digit is part of an e-mail address. Scripts without spaces may stand on both sides. */
const NAMED =
  /(?<![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}_.@-])@([A-Za-z0-9][A-Za-z0-9_]{2,24})(?![\p{sc=Latin}\p{M}\p{N}_])/gu;
/** What separates words, links included. */
const SEPARATOR = /[\s,;()<>"]/u;
/** `@name@host`, as the Fediverse writes names. */
const AT_HOST = /^@[\p{L}\p{N}]/u;
/** `@name.host`, as domains are names on Bluesky. */
const FURTHER_LABELS = /^(?:\.[\p{L}\p{N}-]+)+/u;

/** The first ten names that a text mentions as people see it, in lower case: neither parts of links nor names on other services. */
export function namesIn(content: string): string[] {
  const text = visibleText(content);
  const names = new Set<string>();
  const isInLink = createLinkReader(text);
  let candidates = 0;
  for (const { 0: mention, 1: name = "", index } of text.matchAll(NAMED)) {
    if (++candidates > MAX_CANDIDATES) break;
    if (isInLink(index) || isElsewhere(name, text.slice(index + mention.length))) continue;
    names.add(name.toLowerCase());
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/**
 * Tells whether a word has a link before its @ at a place. Places come in their order, so that the text is read once: no host has
 * an @, so one before an earlier @ is whole.
 */
function createLinkReader(text: string): (at: number) => boolean {
  let readTo = 0;
  let isInLink = false;
  return (at) => {
    const words = text.slice(readTo, at + 1).split(SEPARATOR);
    readTo = at;
    if (words.length > 1) isInLink = false;
    isInLink ||= hasLinkIn(words.at(-1) ?? "");
    return isInLink;
  };
}

/** Whether a name with what follows it names somebody on another service. A sentence may also begin without a space. */
function isElsewhere(name: string, after: string): boolean {
  if (AT_HOST.test(after)) return true;
  const [labels = ""] = FURTHER_LABELS.exec(after) ?? [];
  if (labels === "") return false;
  const host = `${name}${labels}`;
  return hasLinkIn(host) || (labels.lastIndexOf(".") > 0 && publicSuffixOf(host) !== null);
}
