import type { Redis } from "ioredis";
import type { Publishers, RoomEvent } from "../../../actors/host/outbox.ts";

type PrivateEvent = { userId: string; type: string; data: Record<string, unknown> };

/** The events that rooms and users got so far, from all processes, in Redis's order. */
export type PublishedEvents = { room: RoomEvent[]; privateEvents: PrivateEvent[] };

/** Publishers whose record outlives their process: all events go into two lists in Redis. */
export function eventRecorderIn(redis: Redis, list: string) {
  const publishers: Publishers = {
    publishRoom: (event) => redis.rpush(`${list}:room`, JSON.stringify(event)),
    publishUsers: (type, recipients) =>
      redis.rpush(
        `${list}:private`,
        ...recipients.map(({ userId, data }) => JSON.stringify({ userId, type, data })),
      ),
  };
  return {
    publishers,
    async events(): Promise<PublishedEvents> {
      const [room, privateEvents] = await Promise.all([
        redis.lrange(`${list}:room`, 0, -1),
        redis.lrange(`${list}:private`, 0, -1),
      ]);
      return {
        room: room.map((one): RoomEvent => JSON.parse(one)),
        privateEvents: privateEvents.map((one): PrivateEvent => JSON.parse(one)),
      };
    },
    forget: () => redis.del(`${list}:room`, `${list}:private`),
  };
}
