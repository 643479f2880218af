import type { Log } from "../../store/log.ts";
import { shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createLane, type Lane, newestIn } from "./tail-lane.ts";
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

/**
 * Follows the shards' live streams, for the rooms that this worker has somebody in. One lane reads all of them from
 * a single server; from a cluster each shard has a lane, since no command there reads several slots.
 */
export function createTail(deps: { redis: RedisConnection; log: Log; handlers: TailHandlers }) {
  const { redis } = deps;
  const rooms = new Map<number, number>();
  const lanes = new Map<number, Lane>();

  function laneOf(shard: number): Lane {
    const at = redis.isCluster ? shard : 0;
    const lane = lanes.get(at) ?? createLane({ ...deps, shard: at });
    lanes.set(at, lane);
    return lane;
  }

  return {
    /** After it has resolved, every later event of the room will be handed over. Throws unavailable. */
    async watch(streamId: string): Promise<void> {
      const shard = shardOf(streamId);
      rooms.set(shard, (rooms.get(shard) ?? 0) + 1);
      const lane = laneOf(shard);
      if (lane.has(shard)) return;
      try {
        const cursor = await newestIn(redis, shard);
        if (!lane.has(shard)) lane.add(shard, cursor);
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
    close: async (): Promise<void> =>
      void (await Promise.all([...lanes.values()].map((lane) => lane.close()))),
  };
}

export type Tail = ReturnType<typeof createTail>;
