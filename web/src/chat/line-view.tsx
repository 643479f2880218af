import type { components } from "@livecore/client";
import { Component } from "preact";
import { hueOf } from "../formats/hue.ts";
import { TEXTS } from "../texts/texts.ts";
import { actOf } from "./acts.ts";
import type { Line } from "./lines.ts";
import { partsOf } from "./message-text.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/**
 * One line of the chat. It renders once, so that a busy chat renders only its new lines. Contents are inserted as text, never as
 * HTML.
 */
export class LineView extends Component<{ line: Line }> {
  override shouldComponentUpdate(next: { line: Line }): boolean {
    return next.line !== this.props.line;
  }

  render({ line }: { line: Line }) {
    if (line.kind === "notice") {
      return (
        <li class="line notice" dir="auto" data-key={line.key}>
          {line.text}
        </li>
      );
    }
    const { message } = line;
    const label = labelOf(message);
    return (
      <li class={classOf(message)} data-key={line.key}>
        {label !== null && (
          <span class="label" dir="auto">
            {label}
          </span>
        )}
        {message.reply_to_user !== null && (
          <span class="reply">{TEXTS.chat.replyTo(message.reply_to_user)}</span>
        )}
        <b class="author" style={{ "--hue": hueOf(message.username) }}>
          {message.username}
        </b>
        {message.type === "action" ? " " : ": "}
        <span class="text" dir="auto">
          {partsOf(message).map((part) =>
            "text" in part ? (
              part.text
            ) : (
              <img class="emote" src={part.url} alt={part.emote} title={part.emote} />
            ),
          )}
        </span>
      </li>
    );
  }
}

function labelOf({ act, type }: ChatMessage): string | null {
  if (act) return actOf(act);
  return type === "announcement" ? TEXTS.chat.announcement : null;
}

function classOf({ act, type }: ChatMessage): string {
  if (act) return "line act";
  return type === "action" || type === "announcement" ? `line ${type}` : "line";
}
