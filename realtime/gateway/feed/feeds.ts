import type { Log } from "../../../store/log.ts";
import type { Position } from "../../../store/room-position.ts";
import type { LiveEvent } from "../../rooms/event.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { inTime } from "../socket/deadline.ts";
import type { ReplayStats } from "./log-pages.ts";
import { createPacer } from "./pacing.ts";
import { createResync } from "./resync.ts";
import { RoomFeed } from "./room-feed.ts";
import { SharedReads } from "./shared-reads.ts";

type Entry = { feed: RoomFeed; started: Promise<void>; followers: number };

/** The feeds of the rooms that somebody on this worker follows; each lives as long as it has a follower. */
export function createFeeds(deps: {
  rooms: Rooms;
  log: Log;
  publish(topic: string, frame: Buffer | string): void;
  /** Sockets that follow a topic. */
  followers(topic: string): number;
  /** An event of raids, as the feed comes to it and before it is sent. */
  onRaidEvent(streamId: string, event: { type: string; data: unknown }): void;
  /** The room's position has changed. */
  onMoved(feed: RoomFeed): void;
}) {
  const { rooms, log, publish } = deps;
  const pacer = createPacer<RoomFeed>();
  const replayStats: ReplayStats = { replayReads: 0, replayShared: 0, ringReplays: 0 };
  const entries = new Map<string, Entry>();
  const resync = createResync({ log });
  /** One read for many that come to a fresh worker at once. */
  const reached = new SharedReads<Position>({ keptMs: 50, most: 1_000 });

  const tail = rooms.tail({
    onEvents(events: LiveEvent[]) {
      for (const event of events) entries.get(event.streamId)?.feed.receive(event);
      pacer.settle();
    },
    onPossibleGap: () => resync.add([...entries.values()].map(({ feed }) => feed)),
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
      onRaidEvent: deps.onRaidEvent,
      onBehind: resync.later,
      onTouched(touched) {
        pacer.touch(touched);
        deps.onMoved(touched);
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
    rooms.hold(streamId);
    // A feed that didn't start is nobody's; the next one who joins tries anew.
    started.catch(() => {
      feed.close();
      if (entries.get(streamId) !== entry) return;
      entries.delete(streamId);
      rooms.release(streamId);
    });
    return entry;
  }

  function leave(feed: RoomFeed): void {
    const entry = entries.get(feed.streamId);
    if (entry?.feed !== feed || --entry.followers > 0) return;
    entries.delete(feed.streamId);
    rooms.release(feed.streamId);
    feed.close();
    resync.forget(feed);
    pacer.forget(feed);
    tail.unwatch(feed.streamId);
  }

  return {
    /** Call `leave` once for each time. Throws not_found, unavailable, the latter also at the deadline. */
    async join(streamId: string, deadline: number): Promise<RoomFeed> {
      const entry = entries.get(streamId) ?? begin(streamId);
      entry.followers++;
      try {
        await inTime(entry.started, deadline);
      } catch (err) {
        // When it starts after all, nobody came of this one. When it fails, it is gone by itself.
        entry.started.then(
          () => leave(entry.feed),
          () => undefined,
        );
        throw err;
      }
      return entry.feed;
    },
    leave,
    /** Whether the room could be followed now, before a ticket is used up. Throws as `join` does. */
    async reach(streamId: string, deadline: number): Promise<void> {
      if (entries.has(streamId)) return;
      await inTime(
        reached.get(streamId, () => rooms.position(streamId)),
        deadline,
      );
    },
    has: (streamId: string) => entries.has(streamId),
    /** Sends what the feed holds, so that its position is what sockets have seen. */
    flush: (feed: RoomFeed) => pacer.flush(feed),
    flushRoom(streamId: string): void {
      const entry = entries.get(streamId);
      if (entry) pacer.flush(entry.feed);
    },
    lagMs: () => tail.lagMs(),
    paceMs: () => pacer.intervalMs(),
    replayStats,
    count: () => entries.size,
    async close(): Promise<void> {
      pacer.stop();
      resync.close();
      for (const { feed } of entries.values()) {
        feed.close();
        rooms.release(feed.streamId);
      }
      entries.clear();
      await tail.close();
    },
  };
}

export type Feeds = ReturnType<typeof createFeeds>;
