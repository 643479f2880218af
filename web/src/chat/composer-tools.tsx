import type { components } from "@livecore/client";
import { Smile, X } from "lucide";
import { useCallback, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { TEXTS } from "../texts/texts.ts";
import type { Known } from "./completion.ts";
import { EmotePicker } from "./emote-picker.tsx";
import type { EmoteSets } from "./emote-sets.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** What a composer has on the service's own pages. There, moderators' commands run. */
export type ComposerTools = {
  /** The message that the next one answers; null for none. */
  reply: ChatMessage | null;
  onReply: (message: ChatMessage) => void;
  onReplyEnd: () => void;
  emotes: EmoteSets;
  /** What drafts are completed from. */
  known: () => Known;
};

/** Which message the next one answers. */
export function ReplyBar({ to, onEnd }: { to: ChatMessage; onEnd: () => void }) {
  return (
    <p class="replying">
      <span dir="auto">{TEXTS.chat.replyToText(to.username, to.content)}</span>
      <button type="button" class="quiet" aria-label={TEXTS.chat.endReply} onClick={onEnd}>
        <Icon of={X} />
      </button>
    </p>
  );
}

type EmotesProps = { sets: EmoteSets; onPick: (name: string) => void; onClose: () => void };

/** Opens the emotes, which stay open while several are chosen. */
export function EmotesButton({ sets, onPick, onClose }: EmotesProps) {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback((): void => setOpen(false), []);
  return (
    <>
      {isOpen && <EmotePicker sets={sets} onPick={onPick} onClose={close} onLeave={onClose} />}
      <button
        type="button"
        class="quiet emotes-of"
        aria-label={TEXTS.chat.emotes}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={Smile} />
      </button>
    </>
  );
}
