import type { components } from "@livecore/client";

type ChatMessage = components["schemas"]["ChatMessage"];
type Part = { text: string } | { emote: string; url: string };

/** Splits a message's text at its emotes; their positions count code points. Invalid positions stay text. */
export function partsOf({ content, emotes }: Pick<ChatMessage, "content" | "emotes">): Part[] {
  if (emotes.length === 0) return [{ text: content }];
  const characters = [...content];
  const parts: Part[] = [];
  let at = 0;
  for (const { name, url, start_pos: start, end_pos: end } of emotes) {
    if (start === undefined || end === undefined || start < at || end > characters.length) continue;
    if (start > at) parts.push({ text: characters.slice(at, start).join("") });
    parts.push({ emote: name, url });
    at = end;
  }
  if (at < characters.length) parts.push({ text: characters.slice(at).join("") });
  return parts;
}
