import { hasLink, publicSuffixOf } from "../../realtime/rooms/config/links.ts";
import { visibleText } from "../../store/texts/visible-text.ts";

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
  let candidates = 0;
  for (const { 0: mention, 1: name = "", index } of text.matchAll(NAMED)) {
    if (++candidates > MAX_CANDIDATES) break;
    if (isElsewhere(name, text.slice(index + mention.length)) || isInLink(text.slice(0, index))) continue;
    names.add(name.toLowerCase());
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

function isInLink(before: string): boolean {
  const word = before.split(SEPARATOR).at(-1) ?? "";
  return word !== "" && hasLink(word);
}

/** Whether a name with what follows it names somebody on another service. A sentence may also begin without a space. */
function isElsewhere(name: string, after: string): boolean {
  if (AT_HOST.test(after)) return true;
  const [labels = ""] = FURTHER_LABELS.exec(after) ?? [];
  if (labels === "") return false;
  const host = `${name}${labels}`;
  return hasLink(host) || (labels.lastIndexOf(".") > 0 && publicSuffixOf(host) !== null);
}
