import { addressKey } from "../../../base/addresses.ts";
import type { Origin } from "../../../base/audit.ts";
import type { Log } from "../../../base/log.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { createRateLimits } from "../../../store/redis/rate-limits.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { TicketHolder } from "./connection.ts";
import { requireBeforeDeadline } from "./deadline.ts";
import { createKeyedSemaphore } from "./keyed-semaphore.ts";
import type { GatewayLimits } from "./limits.ts";

/** Whether the room is there for that user, null for anonymous callers. Throws not_found, unavailable. */
export type RequireVisible = (
  streamId: string,
  by: { viewer: Pick<TicketHolder, "userId" | "grant"> | null; origin: Origin },
  deadline: number,
) => Promise<void>;

const WINDOW_SECONDS = 60;
/** Concurrent database lookups for one address on this worker; this many may exceed the limit. */
const LOOKUP_CONCURRENCY = 16;

export type RoomCheck = ReturnType<typeof createRoomCheck>;

/**
 * Checks that a room exists. The database is read only if neither this worker nor Redis knows the room. An address may look
 * up a limited number of rooms that don't exist, over all workers; after that its lookups are refused. A lookup is counted
 * once the room is known not to exist: existing rooms never count, however many are looked up at once.
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
        bucket: "unknown_rooms",
        limit: limits.unknownRoomsPerIp,
        windowSeconds: WINDOW_SECONDS,
      },
    },
  });
  const inTurn = createKeyedSemaphore(LOOKUP_CONCURRENCY);

  async function count(key: string): Promise<void> {
    try {
      await take("unknown_rooms", key);
    } catch (err) {
      // The limit was reached meanwhile: this lookup was done, the next one won't be.
      if (!(err instanceof ServiceError) || err.code !== "rate_limited") throw err;
    }
  }

  /** Throws not_found, rate_limited, unavailable. No lookup begins after `deadline`, by performance.now(). */
  return async function requireRoom(streamId: string, ip: string, deadline: number): Promise<void> {
    if (rooms.isKnown(streamId)) return;
    const key = addressKey(ip);
    await rooms.identityOf(streamId, (readDatabase) =>
      inTurn(key, async () => {
        requireBeforeDeadline(deadline);
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
