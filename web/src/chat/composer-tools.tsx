import type { components } from "@livecore/client";
import { Smile, X } from "lucide";
import type { ComponentChildren } from "preact";
import { useCallback, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { client } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { commandRefusalOf } from "./command-refusals.ts";
import { isCommand } from "./commands.ts";
import type { Known } from "./completion.ts";
import { DraftField } from "./draft-field.tsx";
import { EmotePicker } from "./emote-picker.tsx";
import type { EmoteSets } from "./emote-sets.ts";
import type { FieldProps } from "./message-input.tsx";
import type { Reason } from "./refusals.ts";
import type { Room } from "./room.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

type Command = {
  /** What is asked before it runs; null for nothing. */
  question: string | null;
  /** What is said once it has run. */
  done: string;
  run(): Promise<unknown>;
  refusalOf(err: unknown): Reason;
};

/** What a composer has besides its input, on the service's own pages. */
export type ComposerTools = {
  /** The message that the next one answers; null for none. */
  reply: ChatMessage | null;
  onReply: (message: ChatMessage) => void;
  onReplyEnd: () => void;
  /** A text that is for the service to run, and no message. */
  commandIn: (text: string) => Command | null;
  replyBar: () => ComponentChildren;
  field: (props: FieldProps) => ComponentChildren;
  /** `onPick` gets an emote's name, `onLeave` the focus. */
  emotesButton: (onPick: (name: string) => void, onLeave: () => void) => ComponentChildren;
};

type Options = Pick<ComposerTools, "reply" | "onReply" | "onReplyEnd"> & {
  room: Room;
  emotes: EmoteSets;
  /** What drafts are completed from. */
  known: () => Known;
};

export const composerTools = ({ room, emotes, known, ...replies }: Options): ComposerTools => ({
  ...replies,
  commandIn(text) {
    if (!isCommand(text)) return null;
    const request = { path: { stream_id: room.streamId }, body: { command: text.trim() } };
    return {
      question: /^\s*\/clear\s*$/i.test(text) ? TEXTS.composer.clearAsked : null,
      done: TEXTS.composer.commandDone(text.trim()),
      run: () => client.call("runChatCommand", request),
      refusalOf: (err) => commandRefusalOf(err, text),
    };
  },
  replyBar: () => replies.reply && <ReplyBar to={replies.reply} onEnd={replies.onReplyEnd} />,
  field: (props) => <DraftField {...props} onEscape={replies.onReplyEnd} known={known} />,
  emotesButton: (onPick, onLeave) => <EmotesButton sets={emotes} onPick={onPick} onLeave={onLeave} />,
});

/** Which message the next one answers. */
function ReplyBar({ to, onEnd }: { to: ChatMessage; onEnd: () => void }) {
  return (
    <p class="replying">
      <span dir="auto">{TEXTS.chat.replyToText(to.username, to.content)}</span>
      <button type="button" class="quiet" aria-label={TEXTS.composer.endReply} onClick={onEnd}>
        <Icon of={X} />
      </button>
    </p>
  );
}

type EmotesProps = { sets: EmoteSets; onPick: (name: string) => void; onLeave: () => void };

/** Opens the emotes, which stay open while several are chosen. */
function EmotesButton({ sets, onPick, onLeave }: EmotesProps) {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback((): void => setOpen(false), []);
  return (
    <>
      {isOpen && <EmotePicker sets={sets} onPick={onPick} onClose={close} onLeave={onLeave} />}
      <button
        type="button"
        class="quiet emotes-of"
        aria-label={TEXTS.composer.emotes}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={Smile} />
      </button>
    </>
  );
}
