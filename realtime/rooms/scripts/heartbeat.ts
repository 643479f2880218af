import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";

const script = scriptAt(new URL("./heartbeat.lua", import.meta.url));
const settle = scriptAt(new URL("./settle-watch.lua", import.meta.url));

type Heartbeat = {
  streamId: string;
  viewer: { userId: string } | { deviceId: string; ip: string };
  windowMs: number;
  maxDevicesPerIp: number;
  /** Duration of presence that earns points, ms. */
  fullMs: number;
  nowMs: number | null;
};

export async function heartbeat(
  redis: RedisConnection,
  { streamId, viewer, windowMs, maxDevicesPerIp, fullMs, nowMs }: Heartbeat,
): Promise<{ viewerCount: number; presenceWindow: number | null }> {
  const isUser = "userId" in viewer;
  const [count, completed = ""] = fieldsOf(
    await script(
      redis,
      [
        keys.viewers(streamId),
        keys.viewerDevices(streamId, isUser ? "" : viewer.ip),
        keys.watchTime(streamId),
      ],
      [
        nowMs === null ? "" : String(nowMs),
        isUser ? `u:${viewer.userId}` : `d:${viewer.deviceId}`,
        String(windowMs),
        isUser ? "0" : "1",
        String(maxDevicesPerIp),
        String(fullMs),
      ],
    ),
  );
  return { viewerCount: Number(count), presenceWindow: completed === "" ? null : Number(completed) };
}

/** Settles a window that `heartbeat` returned, so that it isn't returned again. */
export async function settleWatch(
  redis: RedisConnection,
  { streamId, userId, window }: { streamId: string; userId: string; window: number },
): Promise<void> {
  await settle(redis, [keys.watchTime(streamId)], [`u:${userId}`, String(window)]);
}
