import type { components } from "@livecore/client";
import { partsOf } from "./message-text.ts";

/** The text of a message, with its emotes, names and addresses. */
export function MessageText({ message }: { message: components["schemas"]["ChatMessage"] }) {
  return (
    <span class="text" dir="auto">
      {partsOf(message).map((part) => {
        if ("text" in part) return part.text;
        if ("emote" in part) return <img class="emote" src={part.url} alt={part.emote} title={part.emote} />;
        if ("mention" in part) return <span class="mention">{part.mention}</span>;
        return (
          <a href={part.href} target="_blank" rel="nofollow ugc noopener">
            {part.link}
          </a>
        );
      })}
    </span>
  );
}
