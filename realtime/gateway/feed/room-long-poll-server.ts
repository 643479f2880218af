import type { Position } from "../../../base/room-position.ts";
import { unavailable } from "../../../contract/errors.ts";
import { inTime, newDeadline } from "../socket/deadline.ts";
import type { Feeds } from "./feeds.ts";
import type { RoomFeed } from "./room-feed.ts";

/** Maximum of waiting requests on one worker. */
const MAX_WAITS = 5_000;

type Waiting = { after: Position; settle: (hasMoved: boolean) => void };

/**
 * The server of long polls on rooms, for clients without a socket (bots, through an api worker). A wait only says that there
 * are new events; the caller reads them from the room's log.
 */
export function createRoomLongPollServer(feeds: Pick<Feeds, "join" | "leave">) {
  const waits = new Map<RoomFeed, Set<Waiting>>();
  let count = 0;
  let isClosed = false;

  /** Registers a wait, which settles with false after `ms`; `end` settles it earlier. */
  function begin(feed: RoomFeed, after: Position, ms: number): { done: Promise<boolean>; end: () => void } {
    const here = waits.get(feed) ?? new Set();
    waits.set(feed, here);
    let settle: Waiting["settle"] = () => undefined;
    const done = new Promise<boolean>((resolve) => {
      settle = (hasMoved) => {
        clearTimeout(timer);
        here.delete(waiting);
        if (here.size === 0) waits.delete(feed);
        resolve(hasMoved);
      };
    });
    const timer = setTimeout(() => settle(false), ms);
    const waiting: Waiting = { after, settle };
    here.add(waiting);
    return { done, end: () => settle(false) };
  }

  return {
    /**
     * Resolves to true as soon as the room has an event after that position or is in another epoch; to false when nothing
     * came for `ms`, or when this worker stops. `onEnd` receives a function that ends the wait early. Throws not_found,
     * unavailable.
     */
    async next(
      streamId: string,
      { after, ms, onEnd }: { after: Position; ms: number; onEnd(end: () => void): void },
    ): Promise<boolean> {
      if (count >= MAX_WAITS) throw unavailable();
      count++;
      try {
        const deadline = newDeadline();
        const feed = await feeds.join(streamId, deadline);
        try {
          // The caller may know of an epoch that this worker hasn't read yet.
          if (feed.position.epoch !== after.epoch) await inTime(feed.verify(), deadline);
          if (isPast(feed.position, after)) return true;
          if (isClosed) return false;
          const { done, end } = begin(feed, after, ms);
          onEnd(end);
          return await done;
        } finally {
          feeds.leave(feed);
        }
      } finally {
        count--;
      }
    },
    moved(feed: RoomFeed): void {
      const here = waits.get(feed);
      if (!here) return;
      for (const { after, settle } of [...here]) if (isPast(feed.position, after)) settle(true);
    },
    count: () => count,
    close(): void {
      isClosed = true;
      for (const here of [...waits.values()]) for (const { settle } of [...here]) settle(false);
    },
  };
}

const isPast = (head: Position, after: Position): boolean =>
  head.epoch !== after.epoch || head.seq > after.seq;
