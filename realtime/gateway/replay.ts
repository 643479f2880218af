import type { Rooms } from "../rooms/rooms.ts";
import { isBefore, type Position } from "../rooms/types.ts";
import type { Connection } from "./connection.ts";
import type { Feeds } from "./feeds.ts";
import { framesOf, message } from "./frames.ts";
import type { RoomFeed } from "./room-feed.ts";

const PAGE = 100;

/** Whether everything after `position` can still be told. */
export async function isRecoverable(rooms: Rooms, feed: RoomFeed, position: Position): Promise<boolean> {
  // The client may come from a worker that is ahead of this one.
  if (isBefore(feed.position, position) || feed.position.epoch !== position.epoch) await feed.verify();
  const head = feed.position;
  if (isBefore(head, position)) return false;
  if (feed.ring.after(position, head) !== null) return true;
  if (position.epoch !== head.epoch) return rooms.log.has(feed.streamId, position);
  const oldest = await rooms.log.oldest(feed.streamId);
  return oldest !== null && (oldest.epoch < head.epoch || oldest.seq <= position.seq + 1);
}

/**
 * Sends what came after `position` and lets the socket follow the room live, without a gap or a repeat:
 *
 * 1. While the ring doesn't reach back to where the socket stands, a page is read from the log, cut at the feed's
 *    position, and sent once the reader is ready for it.
 * 2. As soon as it does, in one turn: the feed is flushed, the rest of the ring sent, the topic followed.
 *
 * False when the socket has left meanwhile, or the log was trimmed past it.
 */
export async function replay(deps: {
  rooms: Rooms;
  feeds: Feeds;
  feed: RoomFeed;
  connection: Connection;
  position: Position;
  isWanted: () => boolean;
}): Promise<boolean> {
  const { rooms, feeds, feed, connection, isWanted } = deps;
  let { position } = deps;
  while (isWanted()) {
    const rest = feed.ring.after(position, feed.position);
    if (rest !== null) {
      feeds.flush(feed);
      for (const frame of framesOf(rest.map(({ payload }) => payload))) connection.sendFrame(frame);
      connection.follow(feed.topic);
      return true;
    }
    const until = feed.position;
    const page = await rooms.log.after(feed.streamId, position, PAGE);
    const events = page.filter((event) => !isBefore(until, event));
    const payloads: Buffer[] = [];
    for (const event of events) {
      const isNewEpoch = event.epoch !== position.epoch;
      if (isNewEpoch) payloads.push(epochNotice(feed, event.epoch, event.seq === 1));
      else if (event.seq !== position.seq + 1) return false;
      payloads.push(event.payload);
      position = { epoch: event.epoch, seq: event.seq };
    }
    if (events.length === 0 && position.epoch !== feed.position.epoch) {
      // The new epoch has no event yet.
      payloads.push(epochNotice(feed, feed.position.epoch, true));
      position = { epoch: feed.position.epoch, seq: 0 };
    } else if (events.length === 0) {
      return false;
    }
    if (!isWanted()) return false;
    for (const frame of framesOf(payloads)) connection.sendFrame(frame);
    await connection.readyForMore();
  }
  return false;
}

function epochNotice(feed: RoomFeed, epoch: number, continuous: boolean): Buffer {
  return Buffer.from(message("room.epoch", feed.topic, { epoch, continuous }));
}
