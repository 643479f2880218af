import { newId } from "../../base/ids.ts";
import type { EventOf, ModeratorEvents, RoomEvents, RoomNotices, UserEvents } from "../../contract/wire.ts";
import type { OutboxDoc } from "../../store/mongo/host/outbox.ts";
import type {
  RoomEffects,
  RoomStateChange,
  UncheckedMessage,
} from "../../store/mongo/host/room-state-change.ts";
import type { TimerDoc } from "../../store/mongo/host/timers.ts";
import type { NotificationFact } from "../../store/mongo/notifications/notification-facts.ts";

const FREE = new Date(0);

/** Events per row, at most: keeps the relay's pages small, and limits how many events one failing row holds up. */
const EVENTS_PER_ROW = 100;

/** A room event, for everybody in the room or for its moderators; `effects` change the room's state atomically with it. */
export type RoomRow = EventOf<RoomEvents & ModeratorEvents & RoomNotices> & { effects?: RoomStateChange[] };

/** An event for one user's own sockets. */
export type UserRow = EventOf<UserEvents> & { userId: string };

/** One private event for many users, with data of its own for each. */
type RowToUsers<Type extends keyof UserEvents> = Type extends unknown
  ? {
      target: { users: { userId: string; data: UserEvents[Type] }[] };
      type: Type;
      data: Record<string, never>;
    }
  : never;

/** The text of an act, about which its room decides when it gets it. */
export type TextRow = EventOf<Pick<RoomEvents, "chat.message">> & { effects: readonly [UncheckedMessage] };

/** A row without its bookkeeping fields. */
export type OutboxRow = Pick<OutboxDoc, "actor" | "version" | "n"> &
  (
    | ({ target: { room: string } } & (RoomRow | TextRow))
    | ({ target: { user: string } } & EventOf<UserEvents>)
    | RowToUsers<keyof UserEvents>
  );

type AnyRow = Pick<OutboxDoc, "actor" | "version" | "n" | "target" | "type" | "data" | "effects">;

export function outboxDoc(row: AnyRow, createdAt: Date): OutboxDoc {
  return { _id: newId(), ...row, createdAt, failures: 0, parkedAt: null };
}

/** Collects the rows of one commit, in publishing order. */
export type OutboxDraft = {
  /** `effects` change the room's state atomically with appending the event to its log. Moderators' events aren't logged. */
  room<Type extends keyof (RoomEvents & ModeratorEvents)>(
    streamId: string,
    type: Type,
    data: (RoomEvents & ModeratorEvents)[Type],
    effects?: RoomEffects,
  ): void;
  /** Events of one type in sequence, up to 100 per row. */
  rooms<Type extends keyof RoomEvents>(streamId: string, type: Type, events: RoomEvents[Type][]): void;
  user<Type extends keyof UserEvents>(userId: string, type: Type, data: UserEvents[Type]): void;
  /** One private event for many users: one row for all of them (at most as many as a batch has). */
  users<Type extends keyof UserEvents>(
    type: Type,
    recipients: { userId: string; data: UserEvents[Type] }[],
  ): void;
  /**
   * A durable message to another actor, in the same commit: a timer of that actor that is due now. It is delivered at least
   * once and takes effect exactly once. A refusal is logged and recorded in the receiver's history. With `input`, the
   * message creates the actor when it doesn't exist.
   */
  send(machine: string, id: string, command: { type: string }, options: MessageOptions): void;
  /**
   * Adds rows of another source, ordered by that source's versions: room events of a change to a channel
   * (channels/room-changes.ts) or of hosting (channels/host-view.ts). They are published right after the commit, like the
   * actor's own.
   */
  include(rows: OutboxRow[]): void;
  /** Something to report by notification, mail or push: stored in the same commit, but not published from the outbox. */
  notify(fact: NotificationFact): void;
  rows: OutboxDoc[];
  others: OutboxDoc[];
  messages: TimerDoc[];
  facts: NotificationFact[];
};

type MessageOptions = { by: string | null; input?: object };

export const MESSAGE = "message:";

/** Like `send` of a draft, for a transaction that isn't an actor's commit: the sweeper delivers it. */
export function messageTo(
  { machine, id }: { machine: string; id: string },
  command: { type: string },
  { by, input }: MessageOptions,
  now: Date,
): TimerDoc {
  const _id = newId();
  const due = { dueAt: now, leasedUntil: FREE, leasedBy: null };
  const message = { by, input: input ?? null };
  return { _id, actor: `${machine}:${id}`, timerId: MESSAGE + _id, event: command, message, ...due };
}

export function draftOutbox(actor: string, version: number, now: Date): OutboxDraft {
  const rows: OutboxDoc[] = [];
  let n = 0;
  const add = (row: Pick<AnyRow, "target" | "type" | "data" | "effects">, events = 1) => {
    rows.push(outboxDoc({ actor, version, n, ...row }, now));
    n += events;
  };
  const others: OutboxDoc[] = [];
  const messages: TimerDoc[] = [];
  const facts: NotificationFact[] = [];
  return {
    rows,
    others,
    messages,
    facts,
    notify: (fact) => void facts.push(fact),
    include: (more) => void others.push(...more.map((row) => outboxDoc(row, now))),
    send: (machine, id, command, options) =>
      void messages.push(messageTo({ machine, id }, command, options, now)),
    room: (streamId, type, data, effects) =>
      add({ target: { room: streamId }, type, data, ...(effects === undefined ? {} : { effects }) }),
    rooms(streamId, type, all) {
      for (let i = 0; i < all.length; i += EVENTS_PER_ROW) {
        const events = all.slice(i, i + EVENTS_PER_ROW);
        add({ target: { inRoom: streamId, events }, type, data: {} }, events.length);
      }
    },
    user: (userId, type, data) => add({ target: { user: userId }, type, data }),
    users(type, recipients) {
      if (recipients.length > 0) add({ target: { users: recipients }, type, data: {} });
    },
  };
}
