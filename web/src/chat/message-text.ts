import type { components } from "@livecore/client";

type ChatMessage = components["schemas"]["ChatMessage"];
type Part =
  | { text: string }
  | { emote: string; url: string }
  | { link: string; href: string }
  | { mention: string };

/** Addresses up to the next space, and names as the service takes them (docs/chat.md, "Mentions and replies"). */
const MARKED = /https?:\/\/[^\s<>"]+|(?<![\w@＠./])[@＠][A-Za-z0-9_]{3,25}(?![\w@＠]|\.\w)/gi;
/** Ends a sentence around an address more often than the address. */
const AFTER_LINK = /(?<![.,:;!?'")\]}])[.,:;!?'")\]}]+$/;

/**
 * Splits a message's text at its emotes, whose positions count code points, at addresses and at names. Invalid positions stay
 * text.
 */
export function partsOf({ content, emotes }: Pick<ChatMessage, "content" | "emotes">): Part[] {
  if (emotes.length === 0) return markedParts(content);
  const characters = [...content];
  const parts: Part[] = [];
  let at = 0;
  for (const { name, url, start_pos: start, end_pos: end } of emotes) {
    if (start === undefined || end === undefined || start < at || end > characters.length) continue;
    if (start > at) parts.push(...markedParts(characters.slice(at, start).join("")));
    parts.push({ emote: name, url });
    at = end;
  }
  if (at < characters.length) parts.push(...markedParts(characters.slice(at).join("")));
  return parts;
}

function markedParts(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(MARKED)) {
    const part = partOf(found);
    if (!part) continue;
    if (index > at) parts.push({ text: text.slice(at, index) });
    parts.push(part);
    at = index + ("link" in part ? part.link : found).length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

function partOf(found: string): Part | null {
  if (!/^http/i.test(found)) return { mention: found };
  const link = found.replace(AFTER_LINK, "");
  const url = URL.canParse(link) ? new URL(link) : null;
  // Before an @, an address may look like that of another site.
  return url === null || url.username + url.password !== "" ? null : { link, href: url.href };
}

/** Whether a message names that user. */
export const mentions = (message: Pick<ChatMessage, "content" | "emotes">, username: string): boolean =>
  message.content.search(/[@＠]/) !== -1 &&
  partsOf(message).some((part) => "mention" in part && part.mention.slice(1).toLowerCase() === username);
