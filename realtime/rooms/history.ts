import type { ChatMessage } from "../../specs/contract/frames.ts";
import type { ChatMessageDoc, ChatMessages } from "../../store/mongo/chat-messages.ts";
import type { RoomLog } from "./log.ts";
import {
  cursorOf,
  type HistoryPage,
  type HistoryRequest,
  isBefore,
  type Position,
  type RoomEvent,
} from "./types.ts";

/** Events of the log read at once; most of them are messages. */
const BATCH = 200;
/** How far back a single message is looked for in the log: the archive has what is older within seconds. */
const FIND_DEPTH = 2_000;

type Placed = Position & { message: ChatMessage };

/** Messages of a room: from its log as far as that reaches, from the archive behind it. */
export function createHistory({ log, archive }: { log: RoomLog; archive: ChatMessages }) {
  /** Newest first, at most `limit`. */
  async function backward(streamId: string, before: Position | null, limit: number): Promise<Placed[]> {
    const found: Placed[] = [];
    let place = before;
    for (;;) {
      const events = await log.before(streamId, place, BATCH);
      found.push(...events.flatMap(placed));
      if (found.length >= limit) return found.slice(0, limit);
      place = events.at(-1) ?? place;
      if (events.length < BATCH) break;
    }
    const older = await archive.pageBefore(streamId, place, limit - found.length);
    return [...found, ...older.map(placedDoc)];
  }

  /** Oldest first, at most `limit`. */
  async function forward(streamId: string, after: Position, limit: number): Promise<Placed[]> {
    const oldest = await log.oldest(streamId);
    const found: Placed[] = [];
    if (!oldest || isBefore(after, oldest)) {
      found.push(...(await archive.pageBetween(streamId, after, oldest, limit)).map(placedDoc));
    }
    let place = after;
    while (found.length < limit) {
      const events = await log.after(streamId, place, BATCH);
      found.push(...events.flatMap(placed));
      place = events.at(-1) ?? place;
      if (events.length < BATCH) break;
    }
    return found.slice(0, limit);
  }

  return {
    async history({ streamId, before = null, after = null, limit }: HistoryRequest): Promise<HistoryPage> {
      // One more than asked for tells whether there is more.
      const found = after
        ? await forward(streamId, after, limit + 1)
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
    /** Null when the room has no such message. A deleted one comes without its text. */
    async findMessage(streamId: string, uuid: string): Promise<ChatMessage | null> {
      let place: Position | null = null;
      for (let read = 0; read < FIND_DEPTH; read += BATCH) {
        const events: RoomEvent[] = await log.before(streamId, place, BATCH);
        const event = events.find(({ chat }) => chat?.uuid === uuid);
        if (event) return messageIn(event);
        place = events.at(-1) ?? place;
        if (events.length < BATCH) break;
      }
      const doc = await archive.find(streamId, uuid);
      return doc ? messageView(doc) : null;
    },
  };
}

function placed(event: RoomEvent): Placed[] {
  return event.chat ? [{ epoch: event.epoch, seq: event.seq, message: messageIn(event) }] : [];
}

function placedDoc(doc: ChatMessageDoc): Placed {
  return { epoch: doc.epoch, seq: doc.seq, message: messageView(doc) };
}

/** The log holds what the admission wrote. */
function messageIn(event: RoomEvent): ChatMessage {
  const { data }: { data: ChatMessage } = JSON.parse(event.payload.toString());
  return data;
}

export function messageView(doc: ChatMessageDoc): ChatMessage {
  return {
    uuid: doc._id,
    user_id: doc.userId,
    username: doc.username,
    room_id: doc.roomId,
    content: doc.deletedAt ? "" : doc.content,
    type: "message",
    timestamp: doc.sentAt.getTime(),
    is_deleted: doc.deletedAt !== null,
    reply_to_id: doc.replyToId,
    reply_to_user: doc.replyToUser,
    created_at: doc.sentAt.toISOString(),
  };
}
