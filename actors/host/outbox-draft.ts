import { newId } from "../../store/ids.ts";
import type { OutboxDoc, OutboxTarget } from "../../store/mongo/outbox.ts";
import type { TimerDoc } from "../../store/mongo/timers.ts";
import type { RoomEffect } from "../../store/room-effect.ts";

const FREE = new Date(0);

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
  /** `effects` change the room's state in the same step in which the event enters its log. */
  room(streamId: string, type: string, data: Data, effects?: RoomEffect[]): void;
  user(userId: string, type: string, data: Data): void;
  /** One private event for many users: one row, whatever their number (at most a batch's worth). */
  users(type: string, recipients: { userId: string; data: Data }[]): void;
  /**
   * A durable message to another actor, in the same commit: a timer of that actor that is due now. It is heard at least
   * once, and takes effect once; what the actor refuses is logged and kept in its history. With `input` the actor may come
   * to be by it.
   */
  send(machine: string, id: string, command: { type: string }, options: MessageOptions): void;
  /**
   * Rows of another source, in the order of its own versions: what a channel's room is told of a change that the effect
   * makes there (channels/room-changes.ts). They are told right after the commit, like the actor's own.
   */
  besides(rows: OutboxRow[]): void;
  rows: OutboxDoc[];
  others: OutboxDoc[];
  messages: TimerDoc[];
};

export type MessageOptions = { by: string | null; input?: object };

export const MESSAGE = "message:";

export function draftOutbox(actor: string, version: number, now: Date): OutboxDraft {
  const rows: OutboxDoc[] = [];
  const add = (target: OutboxTarget, type: string, data: Data, more: { effects?: RoomEffect[] } = {}) =>
    void rows.push(outboxDoc({ actor, version, n: rows.length, target, type, data, ...more }, now));
  const others: OutboxDoc[] = [];
  const messages: TimerDoc[] = [];
  return {
    rows,
    others,
    messages,
    besides: (more) => void others.push(...more.map((row) => outboxDoc(row, now))),
    send(machine, id, command, { by, input }) {
      const _id = newId();
      const due = { dueAt: now, leasedUntil: FREE, leasedBy: null };
      const message = { by, input: input ?? null };
      messages.push({
        _id,
        actor: `${machine}:${id}`,
        timerId: MESSAGE + _id,
        event: command,
        message,
        ...due,
      });
    },
    room: (streamId, type, data, effects) =>
      add({ room: streamId }, type, data, effects === undefined ? {} : { effects }),
    user: (userId, type, data) => add({ user: userId }, type, data),
    users(type, recipients) {
      if (recipients.length > 0) add({ users: recipients }, type, {});
    },
  };
}
