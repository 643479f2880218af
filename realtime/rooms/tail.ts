import type { Log } from "../../store/log.ts";
import { shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { Heat } from "./heat.ts";
import { endOf } from "./stream-end.ts";
import { createLane, type Lane } from "./tail-lane.ts";
import type { Position } from "./types.ts";

export type LiveEvent = Position & {
  streamId: string;
  payload: Buffer;
  /** JSON of ArchiveEffect[], null for an event without. */
  effects: string | null;
};

export type TailHandlers = {
  /** All that one read brought, in order per room. */
  onEvents(events: LiveEvent[]): void;
  onDoubt(): void;
};

/** How often it is looked at which shards are hot. */
const JUDGE_MS = 500;

/**
 * Follows the shards' live streams, for the rooms that this worker has somebody in. From a single server one lane reads
 * all of them as soon as something comes, but for the shards of hot rooms: a second lane reads those once in an
 * interval, since waking up for every single event would cost more than all the rest of it. From a cluster each shard
 * has a lane, since no command there reads several slots, and a hot one's is the one that waits.
 */
export function createTail(deps: { redis: RedisConnection; log: Log; handlers: TailHandlers }) {
  const { redis, handlers } = deps;
  const rooms = new Map<number, number>();
  const lanes = new Map<string, Lane>();
  const heat = new Heat();
  let hot: ReadonlySet<number> = new Set();
  let judgedAt = performance.now();

  const noting: TailHandlers = {
    ...handlers,
    onEvents(events) {
      for (const { streamId } of events) heat.note(streamId);
      handlers.onEvents(events);
    },
  };

  const lane = (name: string, shard: number, isPaced: () => boolean): Lane => {
    const opened = lanes.get(name) ?? createLane({ ...deps, shard, handlers: noting, isPaced });
    lanes.set(name, opened);
    return opened;
  };
  const promptLane = () => lane("prompt", 0, () => false);
  const hotLane = () => lane("hot", 0, () => true);

  function laneOf(shard: number): Lane {
    if (redis.isCluster) return lane(String(shard), shard, () => hot.has(shard));
    return hot.has(shard) ? hotLane() : promptLane();
  }

  /** Nothing is given to a hot lane that doesn't answer: then all is read at once, as if nothing were hot. */
  function readable(judged: ReadonlySet<number>): ReadonlySet<number> {
    if (redis.isCluster || judged.size === 0) return judged;
    hotLane().open();
    return hotLane().isAnswering() ? judged : new Set();
  }

  const judging = setInterval(() => {
    const now = performance.now();
    const before = [...rooms.keys()].map((shard) => ({ shard, from: laneOf(shard) }));
    hot = readable(heat.judge((now - judgedAt) / 1_000));
    judgedAt = now;
    for (const { shard, from } of before) {
      const to = laneOf(shard);
      // What both read, from the same place on, the feeds take once.
      const cursor = to === from ? undefined : from.remove(shard);
      if (cursor !== undefined) to.add(shard, cursor);
    }
  }, JUDGE_MS);
  judging.unref();

  return {
    /** After it has resolved, every later event of the room will be handed over. Throws unavailable. */
    async watch(streamId: string): Promise<void> {
      const shard = shardOf(streamId);
      rooms.set(shard, (rooms.get(shard) ?? 0) + 1);
      if (laneOf(shard).has(shard)) return;
      try {
        const cursor = await endOf(redis, shard);
        if (!laneOf(shard).has(shard)) laneOf(shard).add(shard, cursor);
      } catch (err) {
        rooms.set(shard, (rooms.get(shard) ?? 1) - 1);
        throw err;
      }
    },
    unwatch(streamId: string): void {
      const shard = shardOf(streamId);
      const left = (rooms.get(shard) ?? 1) - 1;
      rooms.set(shard, left);
      if (left > 0) return;
      rooms.delete(shard);
      laneOf(shard).remove(shard);
    },
    /** ms since a read was last answered, of the shard that waits longest; 0 while there is nothing to read. */
    lagMs: () => Math.max(0, ...[...lanes.values()].map((lane) => lane.lagMs())),
    async close(): Promise<void> {
      clearInterval(judging);
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}

export type Tail = ReturnType<typeof createTail>;
