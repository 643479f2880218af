import { Component } from "preact";
import { ChatView } from "../../chat/chat-view.tsx";
import { Composer } from "../../chat/composer.tsx";
import { Room } from "../../chat/room.ts";
import { ownMember } from "../../site/connection.ts";
import { TEXTS } from "../../texts/embedded.ts";
import type { Page } from "../page.ts";
import { requestChatToken, type Speaker } from "./signed-in.ts";

/** `ended`: why the last speaker can't write any more; null if they left. */
type State = { speaker: Speaker | null; ended: string | null };

/** The chat of one channel. Anyone may read it; users may write after they have agreed to it in the service's own window. */
export class EmbeddedChat extends Component<{ page: Page }, State> {
  override state: State = { speaker: null, ended: null };
  readonly #reader = ownMember(this.props.page.client, false);
  readonly #room = new Room(this.#reader, this.props.page.streamId, {
    change: () => this.forceUpdate(),
    end: () => (this.state.speaker ? void this.#signedOut(this.state.speaker) : this.#room.end()),
  });
  #stopAsking: () => void = () => undefined;

  override componentWillUnmount(): void {
    this.#stopAsking();
    this.#room.close();
  }

  readonly #signIn = (): void => {
    this.#stopAsking();
    this.#stopAsking = requestChatToken(this.props.page, this.#speakAs);
  };

  readonly #speakAs = (speaker: Speaker | null): void => {
    const { speaker: before } = this.state;
    this.setState({ speaker, ended: null });
    this.#room.switchUser(speaker ? ownMember(speaker.client, true) : this.#reader);
    // Whoever sits here next can't use it. It ends by itself if this fails.
    if (!speaker) void before?.client.attempt("endChatToken").catch(() => undefined);
  };

  /** The token was ended elsewhere: by its user, with their session or with their account. */
  async #signedOut({ client }: Speaker): Promise<void> {
    this.setState({ speaker: null, ended: TEXTS.chat.signedOut });
    this.#room.switchUser(this.#reader);
    const answer = await client.attempt("createWsTicket").catch(() => null);
    const isBanned = answer?.ok === false && answer.error.code === "account_banned";
    if (isBanned && !this.state.speaker) this.setState({ ended: TEXTS.chat.accountBanned });
  }

  render({ page }: { page: Page }, { speaker, ended }: State) {
    const { modes, waits } = this.#room;
    const composer = (
      <Composer
        room={this.#room}
        modes={modes}
        waits={waits}
        speaker={speaker}
        ended={ended}
        onSignIn={this.#signIn}
        onLeave={() => this.#speakAs(null)}
      />
    );
    return (
      <main class="whole">
        <h1 class="aloud">{TEXTS.chat.label(page.channelName)}</h1>
        <ChatView
          room={this.#room}
          channelName={page.channelName}
          self={speaker?.username ?? null}
          composer={composer}
        />
      </main>
    );
  }
}
