import type { Refusal } from "../../specs/contract/errors.ts";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { RoomEffect } from "../../store/room-effect.ts";

/** A place in a room's log. Epochs are compared for equality, and by size only inside one log or the archive. */
export type Position = { epoch: number; seq: number };

export type RoomRole = "owner" | "moderator" | "vip";

export type SendRequest = {
  streamId: string;
  /** With the session that speaks, once that has ended nothing is admitted; without, no session can end it. */
  sender: { userId: string; username: string; sessionId?: string };
  /** 1..500 code points. */
  content: string;
  replyToId?: string | null;
  /** Repeating an accepted send with the same nonce within 10 min gives the first answer again. */
  nonce?: string | null;
};

export type SendOutcome =
  | { ok: true; epoch: number; seq: number; message: ChatMessage }
  | ({ ok: false } & Refusal);

export type { RoomEffect };

/**
 * Who tells the event: per `ref` the pair (version, n) only rises, and what is not newer is dropped,
 * so that publishing twice shows the room one event.
 */
export type EventSource = { ref: string; version: number; n: number };

export type PublishRequest = {
  streamId: string;
  /** A room event's type, as the contract names it. */
  type: string;
  data: unknown;
  actor: EventSource;
  effects?: readonly RoomEffect[];
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

/** One event of a room as it goes out: `payload` is the finished JSON of the message, in UTF-8. */
export type RoomEvent = Position & {
  payload: Buffer;
  /** Set for chat messages alone: what redaction looks at. */
  chat: { uuid: string; userId: string } | null;
};

const CURSOR = /^(\d{1,15}):(\d{1,15})$/;

/** Reads `<epoch>:<seq>`; null when it has another form. */
export function parseCursor(cursor: string): Position | null {
  const match = CURSOR.exec(cursor);
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : null;
}

export function cursorOf(position: Position): string {
  return `${position.epoch}:${position.seq}`;
}

/** Up to the other place, that one included; nothing is up to null. */
export function isUpTo(a: Position, b: Position | null): boolean {
  return b !== null && !isBefore(b, a);
}

/** In one log, or in the archive. Of places that come from elsewhere, the epochs say nothing about which is newer. */
export function isBefore(a: Position, b: Position): boolean {
  return a.epoch === b.epoch ? a.seq < b.seq : a.epoch < b.epoch;
}
