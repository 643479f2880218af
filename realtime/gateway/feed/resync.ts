import type { Log } from "../../../base/log.ts";
import type { RoomFeed } from "./room-feed.ts";

/** Each comparison may load a room's state; comparing all rooms of a worker at once would keep other users from the stores. */
const CONCURRENCY = 32;
const RETRY_MS = 500;

/**
 * Rooms that may have missed events. Each is compared with its log, with retries until that succeeds, since a room without
 * new messages would otherwise never find out what it lacks.
 */
export function createResync({ log }: { log: Log }) {
  // Bounded by the rooms that this worker follows.
  const waiting = new Set<RoomFeed>();
  const failed = new Set<RoomFeed>();
  let running = 0;
  let retry: NodeJS.Timeout | null = null;
  let isClosed = false;

  function begin(): void {
    for (const feed of waiting) {
      if (running >= CONCURRENCY || isClosed) return;
      waiting.delete(feed);
      running++;
      void compare(feed);
    }
  }

  async function compare(feed: RoomFeed): Promise<void> {
    try {
      await feed.verify();
    } catch (err) {
      log.warn({ err, streamId: feed.streamId }, "comparing a room with its log failed; will try again");
      later(feed);
    } finally {
      running--;
      begin();
    }
  }

  function later(feed: RoomFeed): void {
    if (isClosed) return;
    // Not yet in `waiting`: `begin` would retry it at once.
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
