import type { Log } from "../../../base/log.ts";
import type { Position } from "../../../base/room-position.ts";
import type { LiveEvent } from "../../rooms/event.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { inTime } from "../socket/deadline.ts";
import type { ReplayStats } from "./log-pages.ts";
import { createPacer } from "./pacing.ts";
import { createResync } from "./resync.ts";
import { RoomFeed } from "./room-feed.ts";
import { SharedReads } from "./shared-reads.ts";

type Entry = { feed: RoomFeed; started: Promise<void>; followers: number };

/** The feeds of the rooms that have a follower on this worker. A feed lives as long as it has one. */
export function createFeeds(deps: {
  rooms: Rooms;
  log: Log;
  publish(topic: string, frame: Buffer | string): void;
  followers(topic: string): number;
  /** Called with each raid event when the feed accepts it, before it is sent. */
  onRaidEvent(streamId: string, event: { type: string; data: unknown }): void;
  onMoved(feed: RoomFeed): void;
}) {
  const { rooms, log, publish } = deps;
  const pacer = createPacer<RoomFeed>();
  const replayStats: ReplayStats = { replayReads: 0, replayShared: 0, ringReplays: 0 };
  const entries = new Map<string, Entry>();
  const resync = createResync({ log });
  /** Shares one read among many clients that reach a fresh worker at once. */
  const sharedReads = new SharedReads<string, Position>({ ttlMs: 50, slowMs: 500, maxEntries: 1_000 });

  const tail = rooms.tail({
    onEvents(events: LiveEvent[]) {
      for (const event of events) entries.get(event.streamId)?.feed.receive(event);
      pacer.settle();
    },
    onPossibleGap: () => resync.add([...entries.values()].map(({ feed }) => feed)),
  });

  let isSettling = false;
  /** For fills and checks, which run between reads of the tail; a read settles by itself at its end. */
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
    // A feed that failed to start is dropped; the next `join` starts another one.
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
    /** Call `leave` once per call. Throws not_found, and unavailable (also at the deadline). */
    async join(streamId: string, deadline: number): Promise<RoomFeed> {
      const entry = entries.get(streamId) ?? begin(streamId);
      entry.followers++;
      try {
        await inTime(entry.started, deadline);
      } catch (err) {
        // If it starts after all, this follower is released. If it fails, `begin` drops it.
        entry.started.then(
          () => leave(entry.feed),
          () => undefined,
        );
        throw err;
      }
      return entry.feed;
    },
    leave,
    /** Checks that the room can be followed now, before a ticket is redeemed. Throws what `join` throws. */
    async reach(streamId: string, deadline: number): Promise<void> {
      if (entries.has(streamId)) return;
      await inTime(
        sharedReads.get(streamId, () => rooms.position(streamId)),
        deadline,
      );
    },
    has: (streamId: string) => entries.has(streamId),
    /** Sends what the feed has buffered, so that its position is what its sockets have been sent. */
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
