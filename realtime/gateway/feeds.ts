import type { Log } from "../../store/log.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { LiveEvent } from "../rooms/tail.ts";
import { createDoubts } from "./doubts.ts";
import { createPacer } from "./pacing.ts";
import type { ReplayStats } from "./pages.ts";
import { RoomFeed } from "./room-feed.ts";

type Entry = { feed: RoomFeed; started: Promise<void>; followers: number };

/** The feeds of the rooms that somebody on this worker follows; each lives as long as it has a follower. */
export function createFeeds(deps: {
  rooms: Rooms;
  log: Log;
  publish(topic: string, frame: Buffer | string): void;
  /** Sockets that follow a topic. */
  followers(topic: string): number;
}) {
  const { rooms, log, publish } = deps;
  const pacer = createPacer<RoomFeed>();
  const replayStats: ReplayStats = { replayReads: 0, replayShared: 0, ringReplays: 0 };
  const entries = new Map<string, Entry>();
  const doubts = createDoubts({ log });

  const tail = rooms.tail({
    onEvents(events: LiveEvent[]) {
      for (const event of events) entries.get(event.streamId)?.feed.receive(event);
      pacer.settle();
    },
    onDoubt: () => doubts.add([...entries.values()].map(({ feed }) => feed)),
  });

  let isSettling = false;
  /** Fills and checks come between reads; a read settles at its end by itself. */
  function settleSoon(): void {
    if (isSettling) return;
    isSettling = true;
    queueMicrotask(() => {
      isSettling = false;
      pacer.settle();
    });
  }

  function begin(streamId: string): Entry {
    const feed = new RoomFeed(streamId, {
      rooms,
      log,
      publish,
      replayStats,
      followers: deps.followers,
      onBehind: doubts.later,
      onTouched(touched) {
        pacer.touch(touched);
        settleSoon();
      },
    });
    const started = tail.watch(streamId).then(async () => {
      try {
        await feed.start();
      } catch (err) {
        tail.unwatch(streamId);
        throw err;
      }
    });
    const entry = { feed, started, followers: 0 };
    entries.set(streamId, entry);
    // A feed that didn't start is nobody's; the next one who joins tries anew.
    started.catch(() => {
      feed.close();
      if (entries.get(streamId) === entry) entries.delete(streamId);
    });
    return entry;
  }

  return {
    /** Call `leave` once for each time. Throws not_found, unavailable. */
    async join(streamId: string): Promise<RoomFeed> {
      const entry = entries.get(streamId) ?? begin(streamId);
      entry.followers++;
      await entry.started;
      return entry.feed;
    },
    leave(feed: RoomFeed): void {
      const entry = entries.get(feed.streamId);
      if (entry?.feed !== feed || --entry.followers > 0) return;
      entries.delete(feed.streamId);
      feed.close();
      doubts.forget(feed);
      pacer.forget(feed);
      tail.unwatch(feed.streamId);
    },
    has: (streamId: string) => entries.has(streamId),
    /** Sends what the feed holds, so that its position is what sockets have seen. */
    flush: (feed: RoomFeed) => pacer.flush(feed),
    lagMs: () => tail.lagMs(),
    paceMs: () => pacer.intervalMs(),
    replayStats,
    count: () => entries.size,
    async close(): Promise<void> {
      pacer.stop();
      doubts.close();
      for (const { feed } of entries.values()) feed.close();
      entries.clear();
      await tail.close();
    },
  };
}

export type Feeds = ReturnType<typeof createFeeds>;
