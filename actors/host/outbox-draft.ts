import { newId } from "../../store/ids.ts";
import type { OutboxDoc, OutboxTarget } from "../../store/mongo/outbox.ts";
import type { RoomEffect } from "../../store/room-effect.ts";

type Data = Record<string, unknown>;

/** A row as whoever writes it gives it; the rest is bookkeeping. */
export type OutboxRow = Pick<OutboxDoc, "actor" | "version" | "n" | "target" | "type" | "data"> & {
  effects?: RoomEffect[];
};

export function outboxDoc(row: OutboxRow, createdAt: Date): OutboxDoc {
  return { _id: newId(), ...row, createdAt, failures: 0, parkedAt: null };
}

/** The rows of one commit in the making, in the order in which they will be told. */
export type OutboxDraft = {
  room(streamId: string, type: string, data: Data): void;
  user(userId: string, type: string, data: Data): void;
  /** One private event for many users: one row, whatever their number (at most a batch's worth). */
  users(type: string, recipients: { userId: string; data: Data }[]): void;
  rows: OutboxDoc[];
};

export function draftOutbox(actor: string, version: number, now: Date): OutboxDraft {
  const rows: OutboxDoc[] = [];
  const add = (target: OutboxTarget, type: string, data: Data) =>
    void rows.push(outboxDoc({ actor, version, n: rows.length, target, type, data }, now));
  return {
    rows,
    room: (streamId, type, data) => add({ room: streamId }, type, data),
    user: (userId, type, data) => add({ user: userId }, type, data),
    users(type, recipients) {
      if (recipients.length > 0) add({ users: recipients }, type, {});
    },
  };
}
