import { ServiceError } from "../../specs/contract/errors.ts";
import { addressKey } from "../../store/addresses.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createRateLimits } from "../../store/redis/rate-limits.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { GatewayLimits } from "./types.ts";

const WINDOW_SECONDS = 60;

export type RoomCheck = ReturnType<typeof createRoomCheck>;

/**
 * Whether a room exists, which the database is asked for once a worker. An address may ask for so many rooms that there
 * aren't, over all workers, before it is refused without a look.
 */
export function createRoomCheck(deps: {
  rooms: Pick<Rooms, "isKnown" | "identityOf">;
  redis: RedisConnection;
  limits: GatewayLimits;
  log: Log;
}) {
  const { rooms, redis, limits, log } = deps;
  const { take, giveBack } = createRateLimits({
    redis,
    log,
    buckets: {
      unknown_rooms: {
        name: "unknown_rooms",
        points: limits.unknownRoomsPerIp,
        seconds: WINDOW_SECONDS,
      },
    },
  });

  /** Throws not_found, rate_limited, unavailable. */
  return async function requireRoom(streamId: string, ip: string): Promise<void> {
    if (rooms.isKnown(streamId)) return;
    const key = addressKey(ip);
    // Taken before the look and given back after it: as many as come at once are limited too.
    await take("unknown_rooms", key);
    try {
      await rooms.identityOf(streamId);
    } catch (err) {
      if (err instanceof ServiceError && err.code === "not_found") throw err;
      await giveBack("unknown_rooms", key);
      throw err;
    }
    await giveBack("unknown_rooms", key);
  };
}
