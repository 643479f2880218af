import { LivecoreError } from "@livecore/client";
import { Component } from "preact";
import type { Page } from "../page.ts";
import { TEXTS } from "../texts.ts";
import type { Room } from "./room.ts";
import { requestChatToken, type Speaker } from "./signed-in.ts";

type Props = {
  page: Page;
  room: Room;
  speaker: Speaker | null;
  onSpeaker: (speaker: Speaker | null) => void;
};
type State = { text: string; refusal: string | null };

/**
 * Limit of the input, in UTF-16 units: a message has at most 500 characters (docs/interface.md#8-limits), each of up to two
 * units. The service counts exactly.
 */
const LONGEST_UNITS = 1_000;

/** The input for messages, or the button to sign in. */
export class Composer extends Component<Props, State> {
  override state: State = { text: "", refusal: null };
  #stopAsking: () => void = () => undefined;

  override componentWillUnmount(): void {
    this.#stopAsking();
  }

  readonly #signIn = (): void => {
    this.#stopAsking();
    this.#stopAsking = requestChatToken(this.props.page, this.props.onSpeaker);
  };

  readonly #leave = (): void => this.props.onSpeaker(null);

  readonly #send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { text } = this.state;
    if (text.trim() === "") return;
    this.setState({ text: "", refusal: null });
    try {
      const answer = await this.props.room.say(text);
      if ("held" in answer && answer.held) this.setState({ refusal: TEXTS.chat.held });
    } catch (err) {
      // Restores the text, unless the user has typed something new.
      this.setState((now) => ({ text: now.text || text, refusal: messageOf(err) }));
    }
  };

  render({ speaker }: Props, { text, refusal }: State) {
    if (!speaker) {
      return (
        <div class="composer">
          <button type="button" class="wide" onClick={this.#signIn}>
            {TEXTS.chat.signIn}
          </button>
        </div>
      );
    }
    return (
      <form class="composer" onSubmit={this.#send}>
        {refusal !== null && <p role="alert">{refusal}</p>}
        <input
          value={text}
          maxLength={LONGEST_UNITS}
          placeholder={TEXTS.chat.sayAs(speaker.username)}
          aria-label={TEXTS.chat.sayAs(speaker.username)}
          onInput={(event) => this.setState({ text: event.currentTarget.value })}
        />
        <button type="submit">{TEXTS.chat.send}</button>
        <button type="button" class="quiet" onClick={this.#leave}>
          {TEXTS.chat.leave}
        </button>
      </form>
    );
  }
}

/** The service's error messages are written for users, except what is wrong with a text. */
function messageOf(err: unknown): string {
  if (!(err instanceof LivecoreError)) return TEXTS.chat.notSent;
  const isCommand = JSON.stringify(err.details).includes('"rule":"command"');
  return isCommand ? TEXTS.chat.command : err.message;
}
