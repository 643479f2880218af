import { Component, createRef } from "preact";
import { serverNow } from "../site/service-clock.ts";
import { TEXTS } from "../texts/embedded.ts";
import type { ComposerTools } from "./composer-tools.tsx";
import { type FieldProps, MessageInput } from "./message-input.tsx";
import { type Reason, refusalOf, said, secondsLeft, sendBarOf } from "./refusals.ts";
import type { Modes, Room, Waits } from "./room.ts";

type Props = {
  room: Room;
  modes: Modes | null;
  waits: Waits | null;
  /** Whoever may write; null while nobody is signed in. */
  speaker: { username: string } | null;
  /** Why the last speaker can't write any more; null if they left. */
  ended: string | null;
  onSignIn: () => void;
  /** Null where the speaker leaves elsewhere: they are signed in to the whole page. */
  onLeave: (() => void) | null;
  /** Null where a composer has nothing but its input. */
  tools?: ComposerTools | null;
};
/** `asked`: the question before the command in `text`, which runs when it is sent again. `done`: what a command has done. */
type State = { text: string; refusal: Reason | null; asked: string | null; done: string | null };

/** As the service counts: characters (code points). docs/interface.md#8-limits */
const MAX_CHARACTERS = 500;
/** The number of characters is shown from here on. */
const COUNTED_FROM = 400;
/** Limit of the input, in UTF-16 units: above it nothing can be typed. Characters have up to two units. */
const LONGEST_UNITS = 2 * MAX_CHARACTERS;
const TICK_MS = 1_000;

/** The input for messages, or the button to sign in. */
export class Composer extends Component<Props, State> {
  override state: State = { text: "", refusal: null, asked: null, done: null };
  readonly #input = createRef<HTMLTextAreaElement>();
  /** How often something was sent: what an earlier command did isn't said below a later one. */
  #attempts = 0;
  #tick: ReturnType<typeof setTimeout> | undefined;
  /** Whose draft it is. */
  #author: string | null = this.props.speaker?.username ?? null;

  override componentWillUnmount(): void {
    clearTimeout(this.#tick);
  }

  override componentDidUpdate(before: Props): void {
    const { modes, waits, speaker } = this.props;
    const { refusal } = this.state;
    const hasChanged = before.modes !== modes || before.waits !== waits;
    if (refusal?.isOfRoom && hasChanged) this.setState({ refusal: null });
    if (speaker && !before.speaker) this.#welcome(speaker);
    const { reply = null } = this.props.tools ?? {};
    if (reply !== null && reply !== before.tools?.reply) this.#input.current?.focus();
    this.#countDown();
  }

  #welcome({ username }: { username: string }): void {
    // A draft outlives a sign-out, but nobody else gets it.
    if (this.#author !== username) this.setState({ text: "" });
    this.#author = username;
    this.setState({ refusal: null });
    this.#input.current?.focus();
  }

  /** Renders each second while the user waits. */
  #countDown(): void {
    const { refusal } = this.state;
    if (refusal && refusal.until !== null && refusal.until <= serverNow()) this.setState({ refusal: null });
    const { slowUntil } = this.props.room;
    const isSlow = slowUntil !== null && slowUntil > serverNow();
    const isWaiting = isSlow || (this.#bar()?.until ?? refusal?.until ?? null) !== null;
    if (!isWaiting || this.#tick !== undefined) return;
    this.#tick = setTimeout(() => {
      this.#tick = undefined;
      this.forceUpdate();
    }, TICK_MS);
  }

  #bar(): Reason | null {
    return sendBarOf(this.props.modes, this.props.waits, serverNow());
  }

  readonly #write = (value: string): void => {
    const { text, refusal } = this.state;
    const fitsNow = lengthOf(text) > MAX_CHARACTERS && lengthOf(value) <= MAX_CHARACTERS;
    this.setState({ text: value, refusal: fitsNow ? null : refusal, asked: null, done: null });
  };

  /** A word at the caret, with spaces around it. */
  readonly #insert = (word: string): void => {
    const field = this.#input.current;
    if (!field) return;
    const { selectionStart, selectionEnd, value } = field;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    const space = /(?:^|\s)$/.test(value.slice(0, from)) ? "" : " ";
    field.setRangeText(`${space}${word} `, from, to, "end");
    this.#write(field.value);
  };

  readonly #focus = (): void => this.#input.current?.focus();

  readonly #leave = (): void => {
    this.#author = null;
    this.setState({ text: "", refusal: null });
    this.props.onLeave?.();
  };

  readonly #send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { text } = this.state;
    const { room, speaker, tools } = this.props;
    // Whoever pressed the button goes on typing.
    this.#focus();
    if (!speaker || text.trim() === "") return;
    const over = lengthOf(text) - MAX_CHARACTERS;
    if (over > 0) return this.setState({ refusal: said(TEXTS.chat.tooLong(over)) });
    const command = room.isModerated ? (tools?.commandIn(text) ?? null) : null;
    const attempt = ++this.#attempts;
    if (command && command.question !== null && this.state.asked === null)
      return this.setState({ asked: command.question, refusal: null, done: null });
    this.setState({ text: "", refusal: null, asked: null, done: null });
    const reply = tools?.reply ?? null;
    tools?.onReplyEnd();
    try {
      if (command) {
        await command.run();
        if (attempt === this.#attempts) this.setState({ done: command.done });
      } else await room.say(text, speaker.username, reply?.uuid);
    } catch (err) {
      // Who has left takes their text along.
      if (this.#author !== speaker.username) return;
      const refusal = command?.refusalOf(err) ?? refusalOf(err, room.isModerated && !tools);
      if (reply) tools?.onReply(reply);
      // Restores the text, unless the user has typed something new.
      this.setState((now) => ({ text: now.text || text, refusal }));
    }
  };

  render(
    { modes, speaker, ended, room, onSignIn, onLeave, tools }: Props,
    { text, refusal, asked, done }: State,
  ) {
    if (!speaker && modes?.chat_enabled === false && ended === null) return null;
    if (!speaker) {
      return (
        <div class="composer">
          {ended !== null && <p role="alert">{ended}</p>}
          <button type="button" class="wide" onClick={onSignIn}>
            {TEXTS.chat.signIn}
          </button>
        </div>
      );
    }
    const length = lengthOf(text);
    const isTooLong = length > MAX_CHARACTERS;
    const reason = this.#bar() ?? refusal ?? (room.held && said(heldText(room.held)));
    const field: FieldProps = {
      input: this.#input,
      text,
      label: TEXTS.chat.sayAs(speaker.username),
      maxLength: LONGEST_UNITS,
      isInvalid: isTooLong,
      onText: this.#write,
    };
    return (
      <form class="composer" onSubmit={this.#send}>
        {tools?.replyBar()}
        {reason && <Why reason={reason} />}
        {asked !== null && <p role="alert">{asked}</p>}
        {done !== null && <p role="status">{done}</p>}
        {tools ? (
          tools.field(field)
        ) : (
          <div class="draft">
            <MessageInput {...field} />
          </div>
        )}
        {tools?.emotesButton(this.#insert, this.#focus)}
        {/* The second press of a double click would answer what is asked before a command. */}
        <button type="submit" onClick={(event) => event.detail > 1 && event.preventDefault()}>
          {TEXTS.chat.send}
        </button>
        {onLeave && (
          <button type="button" class="quiet" onClick={this.#leave}>
            {TEXTS.chat.leave}
          </button>
        )}
        {!reason && <SlowWait until={room.slowUntil} />}
        {length >= COUNTED_FROM && (
          <p class={isTooLong ? "length over" : "length"}>{TEXTS.chat.length(length, MAX_CHARACTERS)}</p>
        )}
      </form>
    );
  }
}

/** Counts down what is left of slow mode. */
function SlowWait({ until }: { until: number | null }) {
  const seconds = until === null ? 0 : Math.ceil((until - serverNow()) / 1_000);
  return seconds > 0 ? <p class="slow">{TEXTS.chat.slowFor(seconds)}</p> : null;
}

function heldText(outcome: NonNullable<Room["held"]>): string {
  const { held, notApproved, maybeApproved } = TEXTS.chat;
  return { waiting: held, denied: notApproved, unknown: maybeApproved }[outcome];
}

const lengthOf = (text: string): number => [...text].length;

/** Read aloud once, as it began: a screen reader would read each second of it. */
class Why extends Component<{ reason: Reason }> {
  #first = "";
  #of: string | null = null;

  render({ reason }: { reason: Reason }) {
    const line = reason.text(secondsLeft(reason, serverNow()));
    const subject = reason.until === null ? line : String(reason.until);
    if (this.#of !== subject) this.#first = line;
    this.#of = subject;
    return (
      <p class="why">
        <span role="alert" class="aloud">
          {this.#first}
        </span>
        <span aria-hidden="true">{line}</span>
      </p>
    );
  }
}
