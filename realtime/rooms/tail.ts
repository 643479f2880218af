import type { Log } from "../../base/log.ts";
import { shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { HotShards } from "./hot-shards.ts";
import { createShardReader, type ShardReader, type TailHandlers } from "./shard-reader.ts";
import { lastGeneratedId } from "./stream-end.ts";

/** Interval at which hot shards are determined. */
const JUDGE_MS = 500;

/**
 * Follows the shards' live streams, for the rooms that somebody on this worker is in. From a single server one reader reads all
 * shards as soon as something comes, except those of hot rooms: a second, paced reader reads them once in an interval, since
 * waking up for every single event would cost more than everything else. In a cluster each shard has its own reader, since
 * no command there reads several slots; the reader of a hot shard is paced.
 */
export function createTail(deps: { redis: RedisConnection; log: Log; handlers: TailHandlers }) {
  const { redis, handlers } = deps;
  const rooms = new Map<number, number>();
  const readers = new Map<string, ShardReader>();
  const hotShards = new HotShards();
  let hot: ReadonlySet<number> = new Set();
  let judgedAt = performance.now();

  const countingHandlers: TailHandlers = {
    ...handlers,
    onEvents(events) {
      for (const { streamId } of events) hotShards.note(streamId);
      handlers.onEvents(events);
    },
  };

  const reader = (name: string, shard: number, isPaced: () => boolean): ShardReader => {
    const opened =
      readers.get(name) ?? createShardReader({ ...deps, shard, handlers: countingHandlers, isPaced });
    readers.set(name, opened);
    return opened;
  };
  const promptReader = () => reader("prompt", 0, () => false);
  const hotReader = () => reader("hot", 0, () => true);

  function readerOf(shard: number): ShardReader {
    if (redis.isCluster) return reader(String(shard), shard, () => hot.has(shard));
    return hot.has(shard) ? hotReader() : promptReader();
  }

  /** A hot reader that doesn't answer gets no shards: then all are read immediately, as if none were hot. */
  function readable(judged: ReadonlySet<number>): ReadonlySet<number> {
    if (redis.isCluster || judged.size === 0) return judged;
    hotReader().open();
    return hotReader().isAnswering() ? judged : new Set();
  }

  const judgeTimer = setInterval(() => {
    const now = performance.now();
    const before = [...rooms.keys()].map((shard) => ({ shard, from: readerOf(shard) }));
    hot = readable(hotShards.judge((now - judgedAt) / 1_000));
    judgedAt = now;
    for (const { shard, from } of before) {
      const to = readerOf(shard);
      // Both may return the same entries from this id on; the feeds drop duplicates.
      const cursor = to === from ? undefined : from.remove(shard);
      if (cursor !== undefined) to.add(shard, cursor);
    }
  }, JUDGE_MS);
  judgeTimer.unref();

  return {
    /** Once it has resolved, every later event of the room is delivered. Throws unavailable. */
    async watch(streamId: string): Promise<void> {
      const shard = shardOf(streamId);
      rooms.set(shard, (rooms.get(shard) ?? 0) + 1);
      if (readerOf(shard).has(shard)) return;
      try {
        const cursor = await lastGeneratedId(redis, shard);
        if (!readerOf(shard).has(shard)) readerOf(shard).add(shard, cursor);
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
      readerOf(shard).remove(shard);
    },
    /** ms since a read was last answered, of the reader that waits longest; 0 while there is nothing to read. */
    lagMs: () => Math.max(0, ...[...readers.values()].map((reader) => reader.lagMs())),
    async close(): Promise<void> {
      clearInterval(judgeTimer);
      await Promise.all([...readers.values()].map((reader) => reader.close()));
    },
  };
}
