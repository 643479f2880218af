import type { Refusal } from "../../specs/contract/errors.ts";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { RoomStateChange } from "../../store/mongo/room-state-change.ts";
import type { Position } from "../../store/room-position.ts";

export type SendRequest = {
  streamId: string;
  /** With the session that speaks, once that has ended nothing is admitted; without, no session can end it. */
  sender: { userId: string; username: string; sessionId?: string; isBot?: boolean };
  /** 1..500 code points. */
  content: string;
  replyToId?: string | null;
  /** Repeating an accepted send with the same nonce within 10 min gives the first answer again. */
  nonce?: string | null;
};

export type SendOutcome =
  | { ok: true; epoch: number; seq: number; message: ChatMessage }
  /** Neither: a moderator will decide. Repeated with its nonce it has the same id. */
  | { ok: false; code: "held"; id: string }
  | ({ ok: false } & Refusal);

export type { RoomStateChange };

/**
 * The source of the event: per `ref` the pair (version, n) only rises, and what is not newer is dropped,
 * so that publishing twice shows the room one event.
 */
type EventSource = { ref: string; version: number; n: number };

export type PublishRequest = {
  streamId: string;
  /** A room event's type, as the contract names it. */
  type: string;
  data: unknown;
  actor: EventSource;
  effects?: readonly RoomStateChange[];
};

/** `published` is false when the room had this event already. Conflated types have no position. */
export type PublishOutcome = { published: boolean; position: Position | null };

export type HistoryRequest = {
  streamId: string;
  /** Exclusive; at most one of both. Without either: the newest messages. */
  before?: Position | null;
  after?: Position | null;
  /** 1..100. */
  limit: number;
};
