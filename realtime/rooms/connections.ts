import { onRedis } from "../../store/redis/connect.ts";
import { keys, shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";

const FRESH_MS = 30_000;

const keyOf = (streamId: string) => `${keys.room(streamId)}:connections`;

/** Live sockets of rooms over all workers: each worker reports its own, and is forgotten after 30 s of silence. */
export function createConnections(redis: RedisConnection) {
  return {
    /** `counts`: sockets of this worker by room; 0 takes the report back. */
    async report(workerId: string, counts: ReadonlyMap<string, number>): Promise<void> {
      if (counts.size === 0) return;
      const now = Date.now();
      // One for each shard: in a cluster they may have different nodes.
      const pipelines = new Map<number, ReturnType<typeof redis.pipeline>>();
      for (const [streamId, count] of counts) {
        const shard = shardOf(streamId);
        const pipeline = pipelines.get(shard) ?? redis.pipeline();
        pipelines.set(shard, pipeline);
        if (count === 0) pipeline.hdel(keyOf(streamId), workerId);
        else pipeline.hset(keyOf(streamId), workerId, `${count}:${now}`);
        pipeline.pexpire(keyOf(streamId), FRESH_MS * 2);
      }
      await onRedis(() => Promise.all([...pipelines.values()].map((pipeline) => pipeline.exec())));
    },
    async count(streamId: string): Promise<number> {
      const reports = await onRedis(() => redis.hvals(keyOf(streamId)));
      const now = Date.now();
      return reports.reduce((sum, report) => {
        const [count, at] = report.split(":").map(Number);
        return now - (at ?? 0) < FRESH_MS ? sum + (count ?? 0) : sum;
      }, 0);
    },
  };
}
