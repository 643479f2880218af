import type { ChatHistory, ChatMessage } from "../../specs/contract/wire.ts";
import type { ChatMessageDoc, ChatMessages } from "../../store/mongo/chat-messages.ts";
import { cursorOf, type Position } from "../../store/room-position.ts";
import { type LoggedEvent, messageIn } from "./event.ts";
import type { Hiding } from "./hiding.ts";
import type { RoomLog } from "./log.ts";
import type { HistoryRequest } from "./types.ts";

/** Events of the log read at once; most of them are messages. */
const BATCH = 200;

/** A message with its position in the room. */
export type PositionedMessage = Position & { message: ChatMessage };

/** Messages of a room: from its log as far as that reaches, from the archive behind it. */
export function createHistory(deps: { log: RoomLog; archive: ChatMessages; hiding: Hiding }) {
  const { log, archive, hiding } = deps;

  async function shown(streamId: string, docs: readonly ChatMessageDoc[]): Promise<PositionedMessage[]> {
    if (docs.length === 0) return [];
    const isHidden = await hiding(
      streamId,
      docs.map(({ userId }) => userId),
    );
    return docs.map((doc) => ({
      epoch: doc.epoch,
      seq: doc.seq,
      message: messageView(doc, isHidden(doc)),
    }));
  }

  /** Newest first, at most `limit`. */
  async function backward(
    streamId: string,
    before: Position | null,
    limit: number,
  ): Promise<PositionedMessage[]> {
    const found: PositionedMessage[] = [];
    let cursor = before;
    for (;;) {
      const events = await log.before(streamId, cursor, BATCH);
      found.push(...events.flatMap(positioned));
      if (found.length >= limit) return found.slice(0, limit);
      cursor = events.at(-1) ?? cursor;
      if (events.length < BATCH) break;
    }
    const older = await archive.pageBefore(streamId, cursor, limit - found.length);
    return [...found, ...(await shown(streamId, older))];
  }

  /** Oldest first, at most `limit`; nothing up to `reached` is left out. */
  async function forward(streamId: string, after: Position, limit: number) {
    const found: PositionedMessage[] = [];
    let cursor = after;
    while (found.length < limit) {
      const events = await log.after(streamId, cursor, BATCH);
      if (await isGap(streamId, cursor, events[0])) {
        const most = limit - found.length;
        const between = await archive.pageBetween(streamId, cursor, events[0] ?? null, most);
        found.push(...(await shown(streamId, between)));
      }
      found.push(...events.flatMap(positioned));
      cursor = events.at(-1) ?? found.at(-1) ?? cursor;
      if (events.length < BATCH) break;
    }
    const page = found.slice(0, limit);
    // What was looked at: also events that aren't messages.
    const reached: Position = page.length < limit ? cursor : (page.at(-1) ?? cursor);
    return { page, reached };
  }

  /** Whether something was trimmed between a cursor and what the log has after it: maybe just now, between two reads. */
  async function isGap(streamId: string, cursor: Position, next: Position | undefined): Promise<boolean> {
    if (!next) return !(await log.has(streamId, cursor));
    return next.epoch !== cursor.epoch || next.seq !== cursor.seq + 1;
  }

  /** Null when the room has no such message; the log knows where the newest stand, the archive has the others. A deleted one comes without its text. */
  async function findPlaced(streamId: string, uuid: string): Promise<PositionedMessage | null> {
    const event = await log.find(streamId, uuid);
    const [logged] = event ? positioned(event) : [];
    if (logged) return logged;
    const doc = await archive.find(streamId, uuid);
    const [found] = await shown(streamId, doc ? [doc] : []);
    return found ?? null;
  }

  return {
    async history({ streamId, before = null, after = null, limit }: HistoryRequest): Promise<ChatHistory> {
      // One more than requested shows whether there is more.
      const found = after
        ? (await forward(streamId, after, limit + 1)).page
        : await backward(streamId, before, limit + 1);
      const page = found.slice(0, limit);
      if (!after) page.reverse();
      const [first, last] = [page[0], page.at(-1)];
      return {
        items: page.map(({ message }) => message),
        before_cursor: first ? cursorOf(first) : null,
        after_cursor: last ? cursorOf(last) : after ? cursorOf(after) : null,
        has_more: found.length > limit,
      };
    },
    /** Messages after a position, the oldest first, and up to where that is all of them. */
    async readAfter(streamId: string, after: Position, limit: number) {
      const { page, reached } = await forward(streamId, after, limit);
      return {
        messages: page.map(({ message }) => message),
        reached: { epoch: reached.epoch, seq: reached.seq },
      };
    },
    findPlaced,
    findMessage: async (streamId: string, uuid: string): Promise<ChatMessage | null> =>
      (await findPlaced(streamId, uuid))?.message ?? null,
  };
}

function positioned(event: LoggedEvent): PositionedMessage[] {
  return event.chat ? [{ epoch: event.epoch, seq: event.seq, message: messageIn(event) }] : [];
}

function messageView(doc: ChatMessageDoc, isHidden: boolean): ChatMessage {
  const isDeleted = isHidden || doc.deletedAt !== null;
  return {
    uuid: doc._id,
    user_id: doc.userId,
    username: doc.username,
    room_id: doc.roomId,
    content: isDeleted ? "" : doc.content,
    type: "message",
    timestamp: doc.sentAt.getTime(),
    is_deleted: isDeleted,
    reply_to_id: doc.replyToId,
    reply_to_user: doc.replyToUser,
    emotes: isDeleted ? [] : (doc.emotes ?? []),
    badges: doc.badges ?? [],
    created_at: doc.sentAt.toISOString(),
  };
}
