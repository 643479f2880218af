import type { Log } from "../../../store/log.ts";
import type { RoomFeed } from "./room-feed.ts";

/** Each look may load a room's state; all rooms of a worker at once would keep everybody else from the stores. */
const AT_ONCE = 32;
const RETRY_MS = 500;

/**
 * Rooms that may have missed something: each is compared with its log, again and again until it could be, since a room
 * in which nothing is said would otherwise never learn of what it lacks.
 */
export function createResync({ log }: { log: Log }) {
  // Bounded by the rooms that this worker follows.
  const waiting = new Set<RoomFeed>();
  const failed = new Set<RoomFeed>();
  let looking = 0;
  let retry: NodeJS.Timeout | null = null;
  let isClosed = false;

  function begin(): void {
    for (const feed of waiting) {
      if (looking >= AT_ONCE || isClosed) return;
      waiting.delete(feed);
      looking++;
      void look(feed);
    }
  }

  async function look(feed: RoomFeed): Promise<void> {
    try {
      await feed.verify();
    } catch (err) {
      log.warn({ err, streamId: feed.streamId }, "comparing a room with its log failed; will try again");
      later(feed);
    } finally {
      looking--;
      begin();
    }
  }

  function later(feed: RoomFeed): void {
    if (isClosed) return;
    // Not yet in line: `begin` would take it at once.
    failed.add(feed);
    retry ??= setTimeout(() => {
      retry = null;
      for (const one of failed) waiting.add(one);
      failed.clear();
      begin();
    }, RETRY_MS);
  }

  return {
    add(feeds: Iterable<RoomFeed>): void {
      for (const feed of feeds) waiting.add(feed);
      begin();
    },
    /** After a look that failed. */
    later,
    forget(feed: RoomFeed): void {
      waiting.delete(feed);
      failed.delete(feed);
    },
    close(): void {
      isClosed = true;
      if (retry) clearTimeout(retry);
    },
  };
}
