import type { components, MessageOf } from "@livecore/client";
import { TEXTS } from "../texts.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** One line of the chat. What somebody wrote has an author; notices of the channel have none. */
export type Line =
  | { kind: "message"; key: string; at: number; message: ChatMessage }
  | { kind: "notice"; key: string; at: number; text: string };

/** Lines that are kept; older ones are history, which the channel's own page has. */
const KEPT = 500;

/** The newest lines of a room, oldest first. Lines are never changed, so one that is still there can be drawn as it was. */
export class Lines {
  #lines: Line[] = [];
  #keys = new Set<string>();
  /** How many lines have been dropped at the front since the beginning; with it a place in the list stays a place. */
  dropped = 0;

  get all(): readonly Line[] {
    return this.#lines;
  }

  /** Adds it at the end, unless it is there. */
  add(line: Line): boolean {
    if (this.#keys.has(line.key)) return false;
    this.#keys.add(line.key);
    this.#lines.push(line);
    // In one piece now and then: taking one away from the front each time moves all the others.
    if (this.#lines.length >= KEPT * 2) this.#drop(this.#lines.length - KEPT);
    return true;
  }

  /** History, oldest first, instead of what is there; what came after it stays. */
  begin(messages: readonly ChatMessage[]): void {
    const until = messages.at(-1)?.timestamp ?? 0;
    const since = this.#lines.filter(({ at }) => at >= until);
    this.clear();
    for (const message of messages) this.add(lineOf(message));
    for (const line of since) this.add(line);
  }

  removeMessage(uuid: string): void {
    this.#keep((line) => line.key !== uuid);
  }

  removeAuthor(userId: string): void {
    this.#keep((line) => line.kind !== "message" || line.message.user_id !== userId);
  }

  clear(): void {
    this.#lines = [];
    this.#keys.clear();
  }

  #drop(count: number): void {
    for (const { key } of this.#lines.splice(0, count)) this.#keys.delete(key);
    this.dropped += count;
  }

  #keep(isKept: (line: Line) => boolean): void {
    // What was removed stays known: history that comes late doesn't bring it back.
    this.#lines = this.#lines.filter(isKept);
  }
}

export const lineOf = (message: ChatMessage): Line => ({
  kind: "message",
  key: message.uuid,
  at: message.timestamp,
  message,
});

type Noticed =
  | MessageOf<"subscription.started">
  | MessageOf<"subscription.gifted">
  | MessageOf<"tip.received">
  | MessageOf<"raid.incoming">;

/** What the channel's viewers are told beside messages. */
export function noticeOf(event: Noticed): Line {
  return { kind: "notice", key: `${event.type}:${event.seq}`, at: Date.now(), text: textOf(event) };
}

function textOf(event: Noticed): string {
  const { chat } = TEXTS;
  switch (event.type) {
    case "subscription.started":
      return chat.subscribed(nameOf(event.data.subscriber), event.data.tier);
    case "subscription.gifted":
      return chat.gifted(nameOf(event.data.gifted_by), nameOf(event.data.subscriber));
    case "tip.received": {
      const { from_user: from, amount_cents: cents, currency } = event.data;
      const amount = new Intl.NumberFormat("en", { style: "currency", currency }).format(cents / 100);
      return chat.tipped(nameOf(from), amount);
    }
    case "raid.incoming":
      return chat.raided(nameOf(event.data.source_user), event.data.raid.viewer_count);
  }
}

const nameOf = (user: components["schemas"]["UserSummary"] | null): string =>
  user ? (user.username_title ?? user.username) : TEXTS.chat.somebody;
