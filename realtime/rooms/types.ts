import type { Position } from "../../base/room-position.ts";
import type { Refusal } from "../../contract/errors.ts";
import type { Grant } from "../../contract/scopes.ts";
import type { ChatMessage } from "../../contract/wire.ts";
import type { ShownAs } from "../../store/mongo/chat/chat-messages.ts";
import type { RoomEffects, RoomStateChange } from "../../store/mongo/host/room-state-change.ts";

export type SendRequest = {
  streamId: string;
  /**
   * With a session: once it has ended nothing is admitted. Without one no session's end can stop the sender. With the `grant` of a
   * personal token, a program sends; with that of an embedded chat, its user does.
   */
  sender: { userId: string; username: string; sessionId?: string; grant?: Pick<Grant, "kind"> | null };
  /** 1..500 code points. */
  content: string;
  /** A JSON pointer to `content` in the request, for refusals; default: none, the text itself. */
  contentPath?: string;
  /** By default `/me` makes an `action` of it. */
  type?: Extract<ShownAs, "announcement">;
  replyToId?: string | null;
  /** Idempotency key: repeating an accepted send with the same nonce within 10 min returns the first result. */
  nonce?: string | null;
  /** When it came to this process, by performance.now(): limits count by it, and it waits for a second from then. Default: now. */
  arrivedAt?: number;
};

export type SendOutcome =
  | { ok: true; epoch: number; seq: number; message: ChatMessage }
  /** Neither accepted nor refused: a moderator will decide. A repeat with its nonce has the same id. */
  | { ok: false; code: "held"; id: string }
  | ({ ok: false } & Refusal);

export type { RoomStateChange };

/** A text that goes with an act of its author, or that names something. Visitors without an account are known by their address. */
export type ActText = {
  streamId: string;
  author: { userId: string; username: string } | { address: string };
  content: string;
};

export type ActTextCheck =
  | { kind: "shown" }
  /** For the moderators to decide. The refusal: there is no place among the held messages, so the room would withhold it. */
  | { kind: "held"; refusal: Refusal | null }
  | { kind: "refused"; refusal: Refusal };

/**
 * The source of an event, for deduplication: per `ref` the pair (version, n) only rises, and what isn't newer is dropped,
 * so that publishing twice appends one event.
 */
type EventSource = { ref: string; version: number; n: number };

export type PublishRequest = {
  streamId: string;
  /** A room event's type, as the contract names it. */
  type: string;
  data: unknown;
  actor: EventSource;
  effects?: RoomEffects;
};

/** `published` is false when the room had this event already. Types that aren't part of the log have no position. */
export type PublishOutcome = { published: boolean; position: Position | null };

/** Messages that were sent from `from` on and before `to`, after a position where one is given. */
export type ReplayRequest = {
  streamId: string;
  from: Date;
  to: Date;
  after?: Position | null;
  limit: number;
};

export type HistoryRequest = {
  streamId: string;
  /** Exclusive; at most one of both. Without either: the newest messages. */
  before?: Position | null;
  after?: Position | null;
  /** 1..100. */
  limit: number;
};
