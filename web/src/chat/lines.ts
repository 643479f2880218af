import type { components, MessageOf } from "@livecore/client";
import { TEXTS } from "../texts.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** What is said, before it has a place. What somebody wrote has an author; notices of the channel have none. */
export type NewLine =
  | { kind: "message"; key: string; message: ChatMessage }
  | { kind: "notice"; key: string; text: string };

/** One line of the chat. `no` counts all that were ever said: it stays, whatever is taken away before it. `at`: when it came. */
export type Line = NewLine & { no: number; at: number };

/** Lines that are kept; older ones are history, which the channel's own page has. */
const KEPT = 500;

/** The newest lines of a room, oldest first. Lines are never changed, so one that is still there can be drawn as it was. */
export class Lines {
  #lines: Line[] = [];
  #keys = new Set<string>();
  /** The `no` of the next line. */
  next = 0;
  /** Lines before this one are kept for somebody who reads them. */
  #heldUntil: number | null = null;

  get all(): readonly Line[] {
    return this.#lines;
  }

  /** Adds it at the end, unless it is there. */
  add(line: NewLine): void {
    if (this.#keys.has(line.key)) return;
    this.#keys.add(line.key);
    this.#lines.push({ ...line, no: this.next++, at: Date.now() });
    const held = this.#heldUntil === null ? 0 : this.placeOf(this.#heldUntil);
    // In one piece now and then: taking one away from the front each time moves all the others.
    if (this.#lines.length - held >= KEPT * 2) this.#drop(held, this.#lines.length - held - KEPT);
  }

  /** Where a line is, or the first that came after it. */
  placeOf(no: number): number {
    const place = this.#lines.findLastIndex((line) => line.no < no);
    return place + 1;
  }

  /** Keeps what is there for a reader, whatever comes, until `release`: what is too much goes from behind it. */
  hold(): void {
    this.#heldUntil ??= this.next;
  }

  release(): void {
    this.#heldUntil = null;
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

  #drop(from: number, count: number): void {
    for (const { key } of this.#lines.splice(from, count)) this.#keys.delete(key);
  }

  #keep(isKept: (line: Line) => boolean): void {
    this.#lines = this.#lines.filter((line) => {
      if (isKept(line)) return true;
      this.#keys.delete(line.key);
      return false;
    });
  }
}

export const lineOf = (message: ChatMessage): NewLine => ({ kind: "message", key: message.uuid, message });

type Noticed =
  | MessageOf<"subscription.started">
  | MessageOf<"subscription.gifted">
  | MessageOf<"tip.received">
  | MessageOf<"raid.incoming">;

/** What the channel's viewers are told beside messages. */
export function noticeOf(event: Noticed): NewLine {
  return { kind: "notice", key: `${event.type}:${event.seq}`, text: textOf(event) };
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
