import type { Redis } from "ioredis";
import { addressKey } from "../../base/addresses.ts";
import type { Clock } from "../../base/clock.ts";
import { MINUTE_MS } from "../../base/durations.ts";
import { isUnavailable } from "../../base/failures/unavailable.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import { anyNode, nodeOf, type RedisConnection } from "../../store/redis/nodes.ts";
import { heartbeat, settleWatch } from "./scripts/heartbeat.ts";

/** How long a heartbeat counts (docs/interface.md#6-events). */
export const PRESENCE_WINDOW_MS = MINUTE_MS;
/** Presence over such a window earns points: consecutive windows of wall time, aligned to the epoch. */
export const POINTS_WINDOW_MS = 5 * MINUTE_MS;
const MAX_DEVICES_PER_IP = 50;
const SCAN_COUNT = 1_000;

/**
 * Who watches: only heartbeats count, an open socket doesn't. A signed-in user is one viewer, whatever the number of
 * devices; anonymous viewers count by device, at most 50 per address and stream.
 * With a `clock` its time is used; without one the Redis server's, so that workers' clocks needn't agree.
 */
export function createPresence({ redis, clock }: { redis: RedisConnection; clock?: Clock }) {
  /** Times further ahead than a window are from before a clock stepped back; times a little ahead are another node's clock. */
  const countAt = (streamId: string, now: number) =>
    onRedis(() =>
      redis.zcount(keys.viewers(streamId), `(${now - PRESENCE_WINDOW_MS}`, now + PRESENCE_WINDOW_MS),
    );

  return {
    /**
     * `presenceWindow` is the index of the five-minute window of wall time in which a signed-in user has completed five minutes
     * of presence, else null. It is returned again until it is settled. Windows completed in the meantime follow one by one, each
     * with its own index. A pause between two heartbeats that is longer than the 60 s window adds nothing.
     */
    heartbeat: ({
      streamId,
      viewer,
    }: {
      streamId: string;
      viewer: { userId: string } | { deviceId: string; ip: string };
    }) =>
      heartbeat(redis, {
        streamId,
        viewer: "ip" in viewer ? { ...viewer, ip: addressKey(viewer.ip) } : viewer,
        windowMs: PRESENCE_WINDOW_MS,
        fullMs: POINTS_WINDOW_MS,
        maxDevicesPerIp: MAX_DEVICES_PER_IP,
        nowMs: clock?.now() ?? null,
      }),
    /** Marks that window as paid, or as earning nothing. */
    settle: (watched: { streamId: string; userId: string; window: number }) => settleWatch(redis, watched),
    /** Viewers within the presence window. Throws unavailable. */
    async count(streamId: string): Promise<number> {
      return countAt(streamId, clock?.now() ?? (await timeOf(nodeOf(redis, keys.viewers(streamId)))));
    },
    /** Viewers within the presence window, in batches; a viewer may come twice. Throws unavailable. */
    async *present(streamId: string): AsyncGenerator<string[]> {
      const key = keys.viewers(streamId);
      const now = clock?.now() ?? (await timeOf(nodeOf(redis, key)));
      for (let cursor = "0"; ; ) {
        const at = cursor;
        const [next, found] = await onRedis(() => redis.zscan(key, at, "COUNT", SCAN_COUNT));
        const members: string[] = [];
        for (let i = 0; i < found.length; i += 2) {
          const seenAt = Number(found[i + 1]);
          if (seenAt > now - PRESENCE_WINDOW_MS && seenAt <= now + PRESENCE_WINDOW_MS)
            members.push(found[i] ?? "");
        }
        if (members.length > 0) yield members;
        if (next === "0") return;
        cursor = next;
      }
    },
    /**
     * As `count`, for several streams, without those whose node is unavailable; throws unavailable when all are.
     * Clock differences between nodes are assumed to be negligible against a minute.
     */
    async countEach(streamIds: readonly string[]): Promise<Map<string, number>> {
      const now = clock?.now() ?? (await timeOf(anyNode(redis)));
      const counts = new Map<string, number>();
      const failures: unknown[] = [];
      await Promise.all(
        streamIds.map(async (streamId) => {
          try {
            counts.set(streamId, await countAt(streamId, now));
          } catch (err) {
            if (!isUnavailable(err)) throw err;
            failures.push(err);
          }
        }),
      );
      if (counts.size === 0 && failures.length > 0) throw failures[0];
      return counts;
    },
  };
}

export type Presence = ReturnType<typeof createPresence>;

/** The clock of the server that records the heartbeats. */
async function timeOf(node: Redis): Promise<number> {
  const [seconds, micros] = await onRedis(() => node.time());
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
