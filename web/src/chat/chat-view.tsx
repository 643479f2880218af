import type { ComponentChildren } from "preact";
import { TEXTS } from "../texts/texts.ts";
import { MessageList } from "./message-list.tsx";
import type { Modes, Poll, Room, Sending } from "./room.ts";

type Props = {
  room: Room;
  /** Of the channel, as it spells itself; untrusted text. */
  channelName: string;
  /** How one takes part in a poll from here. */
  pollHint: string;
  /** What one writes with. */
  composer: ComponentChildren;
};

/** A room as it is: its modes, a poll, the lines and the state of the connection. */
export function ChatView({ room, channelName, pollHint, composer }: Props) {
  const { connection, modes, poll, lines, sending } = room;
  if (connection === "gone") return <p class="note">{TEXTS.gone}</p>;
  const isEmpty = connection === "live" && lines.all.length === 0;
  const label = TEXTS.chat.label(channelName);
  return (
    <section class="chat" aria-label={label}>
      <ModesBar modes={modes} />
      {poll && <PollCard poll={poll} hint={pollHint} />}
      <MessageList lines={lines} label={label} />
      {isEmpty && <p class="note">{TEXTS.chat.empty}</p>}
      <SendingList lines={sending} />
      {connection !== "live" && (
        <p class="status" role="status">
          {connection === "lost" ? TEXTS.reconnecting : TEXTS.connecting}
        </p>
      )}
      {composer}
    </section>
  );
}

/** Messages that the service hasn't confirmed. The newest fit. */
function SendingList({ lines }: { lines: readonly Sending[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="sending">
      {lines.slice(-3).map(({ no, username, text }) => (
        <li key={no}>
          <b>{username}</b>: <bdi dir="auto">{text}</bdi> <i>{TEXTS.chat.sending}</i>
        </li>
      ))}
    </ul>
  );
}

function ModesBar({ modes }: { modes: Modes | null }) {
  const words = modes ? wordsOf(modes) : [];
  if (words.length === 0) return null;
  return (
    <ul class="modes">
      {words.map((word) => (
        <li key={word}>{word}</li>
      ))}
    </ul>
  );
}

function wordsOf(modes: Modes): string[] {
  const { chat } = TEXTS;
  if (!modes.chat_enabled) return [chat.disabled];
  return [
    ...(modes.slow === null ? [] : [chat.slow(modes.slow)]),
    ...(modes.followers_only === null ? [] : [chat.followersOnly(modes.followers_only)]),
    ...(modes.emote_only ? [chat.emoteOnly] : []),
    ...(modes.unique_chat ? [chat.unique] : []),
    ...(modes.shield_mode ? [chat.shield] : []),
  ];
}

function PollCard({ poll, hint }: { poll: Poll; hint: string }) {
  const total = poll.total_votes ?? 0;
  const isOpen = poll.status !== "ended";
  return (
    <section class="poll" aria-label={TEXTS.chat.poll}>
      <h2 dir="auto">{poll.question}</h2>
      <ul>
        {poll.options.map((option) => (
          <li key={option.id}>
            <span dir="auto">{option.text}</span>
            <meter min={0} max={Math.max(1, total)} value={option.votes ?? 0} />
            <span>{option.votes ?? ""}</span>
          </li>
        ))}
      </ul>
      <p>{isOpen ? TEXTS.chat.votes(total) : TEXTS.chat.pollEnded}</p>
      {isOpen && <p>{hint}</p>}
    </section>
  );
}
