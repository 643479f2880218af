import { Component } from "preact";
import type { Page } from "../page.ts";
import { TEXTS } from "../texts.ts";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { type Modes, type Poll, Room, type Sending } from "./room.ts";
import type { Speaker } from "./signed-in.ts";

/** `ended`: why the last speaker can't write any more; null if they left. */
type State = { speaker: Speaker | null; ended: string | null };

/** The chat of one channel. Anyone may read it; users may write after they have agreed to it in the service's own window. */
export class Chat extends Component<{ page: Page }, State> {
  override state: State = { speaker: null, ended: null };
  readonly #room = new Room(this.props.page.client, this.props.page.streamId, {
    change: () => this.forceUpdate(),
    end: () => (this.state.speaker ? void this.#signedOut(this.state.speaker) : this.#room.end()),
  });

  readonly #speakAs = (speaker: Speaker | null): void => {
    const { speaker: before } = this.state;
    this.setState({ speaker, ended: null });
    this.#room.become(speaker?.client ?? this.props.page.client, speaker !== null);
    // Whoever sits here next can't use it. It ends by itself if this fails.
    if (!speaker) void before?.client.attempt("endChatToken").catch(() => undefined);
  };

  /** The token was ended elsewhere: by its user, with their session or with their account. */
  async #signedOut({ client }: Speaker): Promise<void> {
    this.setState({ speaker: null, ended: TEXTS.chat.signedOut });
    this.#room.become(this.props.page.client, false);
    const answer = await client.attempt("createWsTicket").catch(() => null);
    const isBanned = answer?.ok === false && answer.error.code === "account_banned";
    if (isBanned && !this.state.speaker) this.setState({ ended: TEXTS.chat.accountBanned });
  }

  render({ page }: { page: Page }, { speaker, ended }: State) {
    const { connection, modes, poll, lines, waits, sending } = this.#room;
    if (connection === "gone") return <p class="note">{TEXTS.gone}</p>;
    const isEmpty = connection === "live" && lines.all.length === 0;
    return (
      <main class="chat">
        <h1 class="aloud">{TEXTS.chat.label(page.channelName)}</h1>
        <ModesBar modes={modes} />
        {poll && <PollCard poll={poll} />}
        <MessageList lines={lines} label={TEXTS.chat.label(page.channelName)} />
        {isEmpty && <p class="note">{TEXTS.chat.empty}</p>}
        <SendingList lines={sending} />
        {connection !== "live" && (
          <p class="status" role="status">
            {connection === "lost" ? TEXTS.reconnecting : TEXTS.connecting}
          </p>
        )}
        <Composer
          page={page}
          room={this.#room}
          modes={modes}
          waits={waits}
          speaker={speaker}
          ended={ended}
          onSpeaker={this.#speakAs}
        />
      </main>
    );
  }
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
