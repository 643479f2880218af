import { cursorOf, isBefore, type Position } from "../../base/room-position.ts";
import type { ChatHistory, ChatMessage } from "../../contract/wire.ts";
import type { ChatMessageDoc, ChatMessages } from "../../store/mongo/chat/chat-messages.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { type LoggedEvent, messageIn } from "./event.ts";
import type { HiddenFilter } from "./hiding.ts";
import type { RoomLog } from "./log.ts";
import type { HistoryRequest, ReplayRequest } from "./types.ts";

/** Events read from the log per call; most of them are messages. */
const BATCH = 200;
/** Reads of a replay that find nothing of its time, before it answers with how far it came: the archive has fallen behind. */
const REPLAY_READS = 5;
const BEGINNING: Position = { epoch: 0, seq: 0 };

/** A message with its position in the room. */
export type PositionedMessage = Position & { message: ChatMessage };

/** Messages of a room: from its log as far back as it reaches, and from the archive before that. */
export function createHistory(deps: { log: RoomLog; archive: ChatMessages; hiding: HiddenFilter }) {
  const { log, archive, hiding } = deps;

  async function viewsOf(streamId: string, docs: readonly ChatMessageDoc[]): Promise<PositionedMessage[]> {
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
    return [...found, ...(await viewsOf(streamId, older))];
  }

  /** Oldest first, at most `limit`; the page has every message up to `reached`. */
  async function forward(streamId: string, after: Position, limit: number) {
    const found: PositionedMessage[] = [];
    let cursor = after;
    while (found.length < limit) {
      const events = await log.after(streamId, cursor, BATCH);
      if (await isGap(streamId, cursor, events[0])) {
        const most = limit - found.length;
        const between = await archive.pageBetween(streamId, cursor, events[0] ?? null, most);
        found.push(...(await viewsOf(streamId, between)));
      }
      found.push(...events.flatMap(positioned));
      cursor = events.at(-1) ?? found.at(-1) ?? cursor;
      if (events.length < BATCH) break;
    }
    const page = found.slice(0, limit);
    // The log was read up to here, including events that aren't messages.
    const reached: Position = page.length < limit ? cursor : (page.at(-1) ?? cursor);
    return { page, reached };
  }

  /** Whether entries between a cursor and the log's next event were trimmed, maybe just now, between two reads. */
  async function isGap(streamId: string, cursor: Position, next: Position | undefined): Promise<boolean> {
    if (!next) return !(await log.has(streamId, cursor));
    return next.epoch !== cursor.epoch || next.seq !== cursor.seq + 1;
  }

  /** Null when the room has no such message. The log has the newest, the archive the rest. Deleted ones come without text. */
  async function findPlaced(streamId: string, uuid: string): Promise<PositionedMessage | null> {
    const event = await log.find(streamId, uuid);
    const [logged] = event ? positioned(event) : [];
    if (logged) return logged;
    const doc = await archive.find(streamId, uuid);
    const [found] = await viewsOf(streamId, doc ? [doc] : []);
    return found ?? null;
  }

  return {
    async history({ streamId, before = null, after = null, limit }: HistoryRequest): Promise<ChatHistory> {
      // One more than requested tells whether there is more.
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
    /** Messages after a position, oldest first, and the position up to which they are complete. */
    async readAfter(streamId: string, after: Position, limit: number) {
      const { page, reached } = await forward(streamId, after, limit);
      return {
        messages: page.map(({ message }) => message),
        reached: { epoch: reached.epoch, seq: reached.seq },
      };
    },
    /**
     * A page of what was said within a time, oldest first, and where the next page begins. It is found by the archive's last message
     * before that time, from where on log and archive are read like a history: so it has what isn't archived yet, too.
     */
    async replay({ streamId, from, to, after = null, limit }: ReplayRequest) {
      const before = await archive.lastSentBefore(streamId, from);
      let reached = before ?? BEGINNING;
      if (after && isBefore(reached, after)) reached = after;
      for (let reads = 0; reads < REPLAY_READS; reads++) {
        const most = reads === 0 ? limit + 1 : BATCH;
        const { page, reached: end } = await forward(streamId, reached, most);
        const found = page.filter(({ message: { timestamp } }) => timestamp >= +from && timestamp < +to);
        const last = found[limit - 1];
        if (last && found.length > limit)
          return { found: found.slice(0, limit), reached: last, hasMore: true };
        const isOver = page.some(({ message }) => message.timestamp >= +to);
        const hasMore = !isOver && page.length === most;
        if (found.length > 0 || !hasMore) {
          return { found, reached: isOver ? (found.at(-1) ?? reached) : end, hasMore };
        }
        reached = end;
      }
      return { found: [], reached, hasMore: true };
    },
    /** The newest messages of one user, newest last: those that the archive has, some seconds after they were sent. */
    async messagesOf(streamId: string, userId: string, limit: number): Promise<ChatMessage[]> {
      const found = await viewsOf(streamId, await archive.newestOf(streamId, userId, limit));
      return found.map(({ message }) => message).reverse();
    },
    /** All messages of one user that the archive has, newest first. */
    async messagePageOf(streamId: string, userId: string, range: Range) {
      const { items, ...page } = await archive.pageOf(streamId, userId, range);
      return { ...page, items: (await viewsOf(streamId, items)).map(({ message }) => message) };
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
    type: doc.type ?? doc.act?.type ?? "message",
    timestamp: doc.sentAt.getTime(),
    is_deleted: isDeleted,
    reply_to_id: doc.replyToId,
    reply_to_user: doc.replyToUser,
    emotes: isDeleted ? [] : (doc.emotes ?? []),
    badges: doc.badges ?? [],
    ...(doc.act ? { act: doc.act } : {}),
    created_at: doc.sentAt.toISOString(),
  };
}
