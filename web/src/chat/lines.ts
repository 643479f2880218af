import type { components, MessageOf } from "@livecore/client";
import { formatMoney } from "../formats/money.ts";
import { TEXTS } from "../texts/embedded.ts";

type ChatMessage = components["schemas"]["ChatMessage"];

/** A line before it has a number. `authorId`: who has written what a notice quotes; null for one that quotes nobody. */
type NewLine =
  | { kind: "message"; key: string; message: ChatMessage }
  | { kind: "notice"; key: string; text: string; authorId: string | null };

/**
 * One line of the chat. `no` numbers all lines that ever came, so it doesn't change when earlier ones are removed. `at`: when it
 * was added, Unix ms. `answered`: the text to which it replies, while that is here; null without one.
 */
export type Line = NewLine & { no: number; at: number; answered: string | null };

/**
 * This many lines remain after an eviction, and up to twice as many are kept before it; the channel's own page has older ones as
 * history.
 */
const KEPT_LINES = 500;

/** The newest lines of a room, oldest first. Lines are immutable, so a kept one needn't be rendered again. */
export class Lines {
  #lines: Line[] = [];
  #keys = new Set<string>();
  /** The `no` of the next line. */
  next = 0;
  /** Lines before this `no` are kept for a reader who has scrolled up. */
  #heldUntil: number | null = null;
  readonly #marksDeleted: boolean;

  /** `marksDeleted`: a deleted message leaves a line without its text. */
  constructor({ marksDeleted = false }: { marksDeleted?: boolean } = {}) {
    this.#marksDeleted = marksDeleted;
  }

  get all(): readonly Line[] {
    return this.#lines;
  }

  /**
   * Appends it, unless a line with this key exists. A message replaces the notice of its act, which says less and has the same
   * key.
   */
  add(line: NewLine): void {
    if (this.#keys.has(line.key)) {
      this.#complete(line);
      return;
    }
    this.#keys.add(line.key);
    this.#lines.push({ ...line, no: this.next++, at: Date.now(), answered: this.#answeredBy(line) });
    const held = this.#heldUntil === null ? 0 : this.placeOf(this.#heldUntil);
    // Evicts in batches: removing one line from the front each time would shift all the others.
    if (this.#lines.length - held >= KEPT_LINES * 2) this.#drop(held, this.#lines.length - held - KEPT_LINES);
  }

  /** The index of a line, or of the first one after it. */
  placeOf(no: number): number {
    const place = this.#lines.findLastIndex((line) => line.no < no);
    return place + 1;
  }

  /** Keeps the lines before `until` for a reader until `release`; meanwhile, later lines are evicted instead. It only moves on. */
  hold(until = this.next): void {
    this.#heldUntil = Math.max(this.#heldUntil ?? 0, until);
    const held = this.placeOf(this.#heldUntil);
    // Somebody who reads on for hours has read the first ones long ago.
    if (held >= KEPT_LINES * 4) this.#drop(0, held - KEPT_LINES * 2);
  }

  /** False when all lines that are kept for the reader are gone: the chat was cleared, or restarted after a gap. */
  get isHolding(): boolean {
    const [first] = this.#lines;
    return first !== undefined && this.#heldUntil !== null && first.no < this.#heldUntil;
  }

  release(): void {
    this.#heldUntil = null;
  }

  removeMessage(uuid: string): void {
    this.#remove((line) => line.key === uuid);
  }

  /** Removes one before the service has said so. Returns what puts it back, unless it has gone meanwhile. */
  removeForNow(uuid: string): () => void {
    const before = this.#lines.find(({ key }) => key === uuid);
    this.removeMessage(uuid);
    const removed = this.#lines.find(({ key }) => key === uuid);
    return () => {
      const place = removed ? this.#lines.indexOf(removed) : -1;
      if (before && place !== -1) this.#lines[place] = before;
    };
  }

  removeAuthor(userId: string): void {
    this.#remove((line) => (line.kind === "message" ? line.message.user_id : line.authorId) === userId);
  }

  /** The newest messages of one author, oldest first. */
  of(userId: string, most: number): ChatMessage[] {
    return this.#lines
      .flatMap((line) => (line.kind === "message" ? [line.message] : []))
      .filter((message) => message.user_id === userId && !message.is_deleted)
      .slice(-most);
  }

  /** A message that is here, with its text. */
  message(uuid: string): ChatMessage | null {
    const line = this.#lines.findLast(({ key }) => key === uuid);
    return line?.kind === "message" && !line.message.is_deleted ? line.message : null;
  }

  /** Whether a line says of a message that it was deleted. */
  isDeleted(uuid: string): boolean {
    const line = this.#lines.findLast(({ key }) => key === uuid);
    return line?.kind === "message" && line.message.is_deleted;
  }

  clear(): void {
    this.#lines = [];
    this.#keys.clear();
  }

  #complete(line: NewLine): void {
    const place = this.#lines.findLastIndex(({ key }) => key === line.key);
    const before = this.#lines[place];
    if (before?.kind === "notice" && line.kind === "message") this.#lines[place] = { ...before, ...line };
  }

  #drop(from: number, count: number): void {
    for (const { key } of this.#lines.splice(from, count)) this.#keys.delete(key);
  }

  #answeredBy(line: NewLine): string | null {
    const id = line.kind === "message" ? line.message.reply_to_id : null;
    return id === null ? null : (this.message(id)?.content ?? null);
  }

  /** Removes lines, and their text from the replies to them. */
  #remove(isGone: (line: Line) => boolean): void {
    const gone = new Set<string>();
    const left = this.#lines.flatMap((line) => {
      if (!isGone(line)) return [line];
      gone.add(line.key);
      if (this.#marksDeleted && line.kind === "message") return [withoutText(line, line.message)];
      this.#keys.delete(line.key);
      return [];
    });
    this.#lines = left.map((line) => {
      const id = line.kind === "message" ? line.message.reply_to_id : null;
      return id !== null && line.answered !== null && gone.has(id) ? { ...line, answered: null } : line;
    });
  }
}

function withoutText(line: Line, { act: _act, ...message }: ChatMessage): Line {
  const emptied = { ...message, content: "", emotes: [], type: "message", is_deleted: true };
  return { ...line, kind: "message", message: emptied, answered: null };
}

export const lineOf = (message: ChatMessage): NewLine => ({ kind: "message", key: message.uuid, message });

type Noticed =
  | MessageOf<"subscription.started">
  | MessageOf<"subscription.gifted">
  | MessageOf<"tip.received">
  | MessageOf<"redemption.created">
  | MessageOf<"raid.incoming">
  | MessageOf<"chat.cleared">;

/** The line for an event that isn't a message. `position`: the event's own, since each epoch counts from the start. */
export function noticeOf(event: Noticed, position: string | null): NewLine {
  return { kind: "notice", key: keyOf(event, position), text: textOf(event), authorId: quotedIn(event) };
}

/** The texts of other acts come as messages. */
function quotedIn(event: Noticed): string | null {
  if (event.type !== "raid.incoming") return null;
  const { message, source_user_id: userId } = event.data.raid;
  return message === undefined ? null : userId;
}

/** The message that goes with an act has the act's id. */
function keyOf(event: Noticed, position: string | null): string {
  if (event.type === "tip.received") return event.data.tip_id;
  if (event.type === "redemption.created") return event.data.id;
  return `${event.type}:${position ?? event.seq}`;
}

function textOf(event: Noticed): string {
  const { chat } = TEXTS;
  switch (event.type) {
    case "subscription.started":
      return chat.subscribed(nameOf(event.data.subscriber), event.data.tier);
    case "subscription.gifted":
      return chat.gifted(nameOf(event.data.gifted_by), nameOf(event.data.subscriber), event.data.tier);
    case "tip.received": {
      const { from_user: from, amount_cents: cents, currency } = event.data;
      return chat.tipped(nameOf(from), formatMoney(cents, currency));
    }
    case "redemption.created":
      return chat.redeemed(nameOf(event.data.redeemer), event.data.reward.title);
    case "chat.cleared":
      return chat.cleared;
    case "raid.incoming":
      return chat.raided(
        nameOf(event.data.source_user),
        event.data.raid.viewer_count,
        event.data.raid.message ?? null,
      );
  }
}

/** As messages name their authors. */
const nameOf = (user: components["schemas"]["UserSummary"] | null): string =>
  user?.username ?? TEXTS.chat.somebody;
