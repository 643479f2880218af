import type { components } from "@livecore/client";
import { Reply } from "lucide";
import { Component } from "preact";
import { Icon } from "../components/icon.tsx";
import { formatSaid } from "../formats/dates.ts";
import { hueOf } from "../formats/hue.ts";
import { TEXTS } from "../texts/embedded.ts";
import { actOf } from "./acts.ts";
import type { LineActs } from "./line-acts.ts";
import type { Line } from "./lines.ts";
import { mentions } from "./message-text.ts";
import { MessageText } from "./message-view.tsx";
import type { Badges } from "./room-facts.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

type Props = {
  line: Line;
  badges: Badges;
  /** Username of the reader, whose own lines and mentions stand out; null for readers who aren't signed in. */
  self: string | null;
  /** What can be done with a line, by its author's name and by buttons; null for nothing. */
  acts: LineActs | null;
};

/**
 * One line of the chat. It renders once, so that a busy chat renders only its new lines. Contents are inserted as text, never as
 * HTML.
 */
export class LineView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { line, badges, self, acts } = this.props;
    return next.line !== line || next.badges !== badges || next.self !== self || next.acts !== acts;
  }

  render({ line, badges, self, acts }: Props) {
    if (line.kind === "notice") {
      return (
        <li class="line notice" dir="auto" data-key={line.key}>
          {line.text}
        </li>
      );
    }
    const { message, answered } = line;
    const label = labelOf(message);
    return (
      <li class={`${classOf(message)}${classFor(message, self)}`} data-key={line.key}>
        {label !== null && (
          <span class="label" dir="auto">
            {label}
          </span>
        )}
        {message.reply_to_user !== null && !message.is_deleted && (
          <span class="reply" dir="auto">
            {answered === null
              ? TEXTS.chat.replyTo(message.reply_to_user)
              : TEXTS.chat.replyToText(message.reply_to_user, answered)}
          </span>
        )}
        {acts && <Acts message={message} acts={acts} />}
        <BadgesOf message={message} badges={badges} />
        <Author message={message} hasActs={acts !== null} />
        {message.type === "action" ? " " : ": "}
        {message.is_deleted ? <i class="deleted">{TEXTS.chat.deleted}</i> : <MessageText message={message} />}
      </li>
    );
  }
}

function Author({ message, hasActs }: { message: ChatMessage; hasActs: boolean }) {
  const style = { "--hue": hueOf(message.username) };
  if (!hasActs) {
    return (
      <b class="author" style={style}>
        {message.username}
      </b>
    );
  }
  return (
    <button type="button" class="author" style={style} tabIndex={-1} data-act="card" aria-haspopup="dialog">
      {message.username}
    </button>
  );
}

/** Shown while the line is pointed at or has the focus, so they aren't read aloud with it. */
function Acts({ message, acts }: { message: ChatMessage; acts: LineActs }) {
  const { created_at, username, is_deleted } = message;
  return (
    <span class="acts">
      <time dateTime={created_at}>{formatSaid(created_at)}</time>
      {!is_deleted && (
        <button type="button" tabIndex={-1} data-act="reply" aria-label={TEXTS.chat.answer(username)}>
          <Icon of={Reply} />
        </button>
      )}
      {acts.buttons?.(message)}
    </span>
  );
}

/** A badge that was deleted since is left out. */
function BadgesOf({ message, badges }: { message: ChatMessage; badges: Badges }) {
  const worn = message.badges.flatMap((id) => badges.get(id) ?? []);
  return (
    <>
      {worn.map(({ id, name, image_url }) => (
        <img key={id} class="badge-of" src={image_url} alt={name} title={name} width="18" height="18" />
      ))}
    </>
  );
}

function labelOf({ act, type }: ChatMessage): string | null {
  if (act) return actOf(act);
  return type === "announcement" ? TEXTS.chat.announcement : null;
}

function classOf({ act, type }: ChatMessage): string {
  if (act) return "line act";
  return type === "action" || type === "announcement" ? `line ${type}` : "line";
}

/** What is said by the reader, or to the reader. */
function classFor(message: ChatMessage, self: string | null): string {
  if (self === null) return "";
  if (message.username === self) return " own";
  return message.reply_to_user === self || mentions(message, self) ? " to-self" : "";
}
