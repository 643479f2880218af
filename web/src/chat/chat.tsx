import { Component } from "preact";
import type { Page } from "../page.ts";
import { TEXTS } from "../texts.ts";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { type Modes, type Poll, Room } from "./room.ts";
import type { Speaker } from "./signed-in.ts";

/** The chat of one channel. Anyone may read it; users may write after they have agreed to it in the service's own window. */
export class Chat extends Component<{ page: Page }, { speaker: Speaker | null }> {
  override state: { speaker: Speaker | null } = { speaker: null };
  readonly #room = new Room(this.props.page.client, this.props.page.streamId, {
    change: () => this.forceUpdate(),
    end: () => (this.state.speaker ? this.#speakAs(null) : this.#room.end()),
  });

  readonly #speakAs = (speaker: Speaker | null): void => {
    this.setState({ speaker });
    this.#room.become(speaker?.client ?? this.props.page.client);
  };

  render({ page }: { page: Page }, { speaker }: { speaker: Speaker | null }) {
    const { connection, modes, poll, lines } = this.#room;
    if (connection === "gone") return <p class="note">{TEXTS.gone}</p>;
    const isEmpty = connection === "live" && lines.all.length === 0;
    return (
      <main class="chat">
        <h1 class="aloud">{TEXTS.chat.label(page.channelName)}</h1>
        <ModesBar modes={modes} />
        {poll && <PollCard poll={poll} />}
        <MessageList lines={lines} label={TEXTS.chat.label(page.channelName)} />
        {modes?.chat_enabled !== false && (
          <Composer page={page} room={this.#room} speaker={speaker} onSpeaker={this.#speakAs} />
        )}
        {isEmpty && <p class="note">{TEXTS.chat.empty}</p>}
        {connection !== "live" && (
          <p class="status" role="status">
            {connection === "lost" ? TEXTS.reconnecting : TEXTS.connecting}
          </p>
        )}
      </main>
    );
  }
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

function PollCard({ poll }: { poll: Poll }) {
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
      {isOpen && <p>{TEXTS.chat.pollHint}</p>}
    </section>
  );
}
