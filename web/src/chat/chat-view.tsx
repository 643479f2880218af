import type { ComponentChildren } from "preact";
import { TEXTS } from "../texts/embedded.ts";
import type { LineActs } from "./line-acts.ts";
import { MessageList } from "./message-list.tsx";
import { PinCard } from "./pin-card.tsx";
import { PollCard, type Voting } from "./poll-card.tsx";
import type { Modes, Room, Sending } from "./room.ts";

type Props = {
  room: Room;
  /** Of the channel, as it spells itself; untrusted text. */
  channelName: string;
  /** How the reader votes; null where they can't. */
  voting?: Voting | null;
  /** Username of the reader; null for readers who aren't signed in. */
  self?: string | null;
  /** What the reader may do with lines; null where they can only be read. */
  acts?: LineActs | null;
  /** Null for readers who can't. */
  onUnpin?: (() => void) | null;
  /** Whether it shows the room's poll. */
  hasPoll?: boolean;
  /** Further cards above the lines. */
  cards?: ComponentChildren;
  /** Whether the page around it says that the connection is lost. */
  isLossSaid?: boolean;
  /** What one writes with. */
  composer: ComponentChildren;
  /** What stands below it. */
  below?: ComponentChildren;
};

/** A room as it is: its modes, a poll, the lines and the state of the connection. */
export function ChatView(props: Props) {
  const {
    room,
    channelName,
    voting = null,
    self = null,
    acts = null,
    onUnpin = null,
    hasPoll = true,
    cards,
    isLossSaid = false,
    composer,
    below,
  } = props;
  const { connection, modes, lines, sending } = room;
  const { poll, voted } = room.polls;
  const { badges, pinned } = room.facts;
  if (connection === "gone") return <p class="note">{TEXTS.gone}</p>;
  const isEmpty = connection === "live" && room.hasHistory && lines.all.length === 0;
  const label = TEXTS.chat.label(channelName);
  return (
    <section class="chat" aria-label={label}>
      <ModesBar modes={modes} />
      <div class="cards">
        {pinned && <PinCard key={pinned.pinned_at} pin={pinned} onUnpin={onUnpin} />}
        {hasPoll && poll && (
          <PollCard key={`${poll.id} ${poll.status}`} poll={poll} voted={voted} voting={voting} />
        )}
        {cards}
      </div>
      <MessageList
        lines={lines}
        label={label}
        badges={badges}
        self={self}
        acts={acts}
        note={isEmpty ? TEXTS.chat.empty : null}
      />
      <SendingList lines={sending} />
      {(connection === "connecting" || (connection === "lost" && !isLossSaid)) && (
        <p class="status" role="status">
          {connection === "lost" ? TEXTS.reconnecting : TEXTS.connecting}
        </p>
      )}
      {composer}
      {below}
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
