import { ServiceError } from "../../../specs/contract/errors.ts";
import { addressKey } from "../../../store/addresses.ts";
import type { Log } from "../../../store/log.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { createRateLimits } from "../../../store/redis/rate-limits.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { requireTime } from "./deadline.ts";
import { createKeyedSemaphore } from "./keyed-semaphore.ts";
import type { GatewayLimits } from "./limits.ts";

const WINDOW_SECONDS = 60;
/** Rooms of one address that are looked up in the database at once, by this worker: so many may go past the limit. */
const AT_ONCE = 16;

export type RoomCheck = ReturnType<typeof createRoomCheck>;

/**
 * Whether a room exists, which is looked up in the database only where neither this worker nor Redis knows it. An address may
 * look up so many rooms that don't exist, over all workers; after that there are no more lookups for it. They are
 * counted once that is known: existing rooms count at no time, however many are looked up at once.
 */
export function createRoomCheck(deps: {
  rooms: Pick<Rooms, "isKnown" | "identityOf">;
  redis: RedisConnection;
  limits: GatewayLimits;
  log: Log;
}) {
  const { rooms, redis, limits, log } = deps;
  const { take, requireSome } = createRateLimits({
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
  const inTurn = createKeyedSemaphore(AT_ONCE);

  async function count(key: string): Promise<void> {
    try {
      await take("unknown_rooms", key);
    } catch (err) {
      // Used up meanwhile: this one was looked up, the next one won't be.
      if (!(err instanceof ServiceError) || err.code !== "rate_limited") throw err;
    }
  }

  /** Throws not_found, rate_limited, unavailable. Nothing is begun after `deadline`, of performance.now(). */
  return async function requireRoom(streamId: string, ip: string, deadline: number): Promise<void> {
    if (rooms.isKnown(streamId)) return;
    const key = addressKey(ip);
    await rooms.identityOf(streamId, (readDatabase) =>
      inTurn(key, async () => {
        requireTime(deadline);
        await requireSome("unknown_rooms", key);
        try {
          return await readDatabase();
        } catch (err) {
          if (err instanceof ServiceError && err.code === "not_found") await count(key);
          throw err;
        }
      }),
    );
  };
}
