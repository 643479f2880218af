import { isBefore, type Position } from "../../../base/room-position.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { Feeds } from "../feed/feeds.ts";
import type { RoomFeed } from "../feed/room-feed.ts";
import type { Connection } from "../socket/connection.ts";
import type { FanOut } from "../socket/fan-out.ts";
import { eachFrameOf, message } from "../socket/frames.ts";
import type { TimeSlicer } from "../socket/time-slicer.ts";
import type { ReplayBudget } from "./replay-budget.ts";

/** Whether everything after `position` can still be sent. Where it can't, a page that was read to find out counts as replayed. */
export async function isRecoverable({
  rooms,
  feed,
  position,
  connection,
  budget,
}: {
  rooms: Pick<Rooms, "log">;
  feed: RoomFeed;
  position: Position;
  connection: Connection;
  budget: ReplayBudget;
}): Promise<boolean> {
  if (feed.position.epoch !== position.epoch) await feed.verify();
  // The client may come from a worker that is ahead of this one; a comparison that was already under way may be older than it.
  for (let attempts = 0; attempts < 2 && mayBeAhead(position, feed); attempts++) await feed.verify();
  const head = feed.position;
  if (position.epoch !== head.epoch) return rooms.log.has(feed.streamId, position);
  if (position.seq > head.seq) return false;
  if (feed.reaches(position)) return true;
  const page = await feed.eventsAfter(position);
  const [next] = page;
  if (next?.epoch === position.epoch && next.seq === position.seq + 1) return true;
  const bytes = page.reduce((sum, { payload }) => sum + payload.length, 0);
  budget.spend(connection, bytes);
  return false;
}

function mayBeAhead({ epoch, seq }: Position, feed: RoomFeed): boolean {
  return epoch === feed.position.epoch ? seq > feed.position.seq : !feed.isOver(epoch);
}

/**
 * Synchronously flushes the feed, sends `first` and the events after `position`, and follows the topic. Returns false, and
 * does nothing, when the ring doesn't reach back to that position.
 */
export function joinFromRing(deps: {
  feeds: Feeds;
  fanOut: FanOut;
  feed: RoomFeed;
  connection: Connection;
  position: Position;
  budget: ReplayBudget;
  first?: readonly string[];
}): boolean {
  const { feeds, fanOut, feed, connection, position, budget, first = [] } = deps;
  const frames = feed.framesAfter(position);
  if (frames === null) return false;
  feeds.flush(feed);
  // Corked, so that a small replay is one write.
  connection.corked(() => {
    if (first.length > 0) connection.send(...first);
    for (const frame of frames) {
      connection.sendFrame(frame);
      budget.spend(connection, frame.length);
    }
    fanOut.follow(connection, feed.topic);
  });
  return true;
}

/**
 * Sends the events after `position` and lets the socket follow the room live, without a gap or a repeat:
 *
 * 1. While the ring doesn't reach back to the socket's position, a page of the log, cut at the feed's position, is sent,
 *    and the next one once the reader has caught up with it.
 * 2. As soon as it does, the socket joins from the ring.
 *
 * Returns false when the socket has left meanwhile, the log was trimmed past it, or the budget ran out on the way.
 */
export async function replay(deps: {
  rooms: Pick<Rooms, "log">;
  feeds: Feeds;
  fanOut: FanOut;
  feed: RoomFeed;
  slicer: TimeSlicer;
  connection: Connection;
  position: Position;
  budget: ReplayBudget;
  isWanted: () => boolean;
}): Promise<boolean> {
  const { rooms, feeds, fanOut, feed, slicer, connection, budget, isWanted } = deps;
  // The epoch may change after a position was found to be recoverable, and the events up to the change may be gone.
  const isHeld = (at: Position) => rooms.log.has(feed.streamId, at);
  let { position } = deps;
  while (isWanted()) {
    const join = { feeds, fanOut, feed, connection, position, budget };
    if (await slicer.run(() => isWanted() && joinFromRing(join))) return true;
    if (budget.refusal(connection)) return false;
    const until = feed.position;
    const page = await feed.eventsAfter(position);
    if (feed.reaches(position)) continue;
    const events = page.filter((event) => !isBefore(until, event));
    const payloads: Buffer[] = [];
    for (const event of events) {
      const isNewEpoch = event.epoch !== position.epoch;
      if (isNewEpoch) {
        payloads.push(epochNotice(feed, event.epoch, event.seq === 1 && (await isHeld(position))));
      }
      if (!isNewEpoch && event.seq !== position.seq + 1) return false;
      payloads.push(event.payload);
      position = { epoch: event.epoch, seq: event.seq };
    }
    if (events.length === 0 && position.epoch !== feed.position.epoch) {
      // Either the new epoch has no event yet, or the feed is behind.
      if (!feed.isOver(position.epoch)) await feed.verify();
      if (position.epoch === feed.position.epoch) continue;
      const { epoch } = feed.position;
      payloads.push(epochNotice(feed, epoch, await isHeld(position)));
      position = { epoch, seq: 0 };
    } else if (events.length === 0) {
      return false;
    }
    for (const frame of eachFrameOf(payloads)) {
      budget.spend(connection, frame.length);
      await slicer.run(() => isWanted() && connection.sendFrame(frame));
      await connection.readyForMore();
    }
  }
  return false;
}

function epochNotice(feed: RoomFeed, epoch: number, continuous: boolean): Buffer {
  return Buffer.from(message("room.epoch", feed.topic, { epoch, continuous }));
}
