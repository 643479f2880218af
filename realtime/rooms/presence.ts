import type { Clock } from "../../store/clock.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import { nodeOf, type RedisConnection } from "../../store/redis/nodes.ts";
import { heartbeat } from "../../store/redis/scripts/heartbeat.ts";

const WINDOW_MS = 60_000;
const FULL_MS = 5 * 60_000;
const MAX_DEVICES_PER_IP = 50;

/**
 * Who watches: only heartbeats count, an open socket doesn't. A signed-in user is one viewer however many
 * devices; anonymous ones count by device, at most 50 an address and stream.
 * With a `clock` its time rules; without one the server's own, so that workers' clocks needn't agree.
 */
export function createPresence({ redis, clock }: { redis: RedisConnection; clock?: Clock }) {
  return {
    /**
     * `presenceWindow` is the index of the five-minute window of wall time in which a signed-in user has just
     * completed five minutes of presence, else null. A longer pause than the window between two heartbeats
     * adds nothing.
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
        viewer,
        windowMs: WINDOW_MS,
        fullMs: FULL_MS,
        maxDevicesPerIp: MAX_DEVICES_PER_IP,
        nowMs: clock?.now() ?? null,
      }),
    /** Viewers within the presence window. Throws unavailable. */
    async count(streamId: string): Promise<number> {
      const now = clock ? clock.now() : await serverTime(redis, streamId);
      return onRedis(() => redis.zcount(keys.viewers(streamId), `(${now - WINDOW_MS}`, "+inf"));
    },
  };
}

export type Presence = ReturnType<typeof createPresence>;

/** Of the server that notes when heartbeats came. */
async function serverTime(redis: RedisConnection, streamId: string): Promise<number> {
  const [seconds, micros] = await onRedis(() => nodeOf(redis, keys.viewers(streamId)).time());
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
