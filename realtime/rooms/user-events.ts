import type { Redis } from "ioredis";
import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import { createPubSub } from "./pubsub.ts";

/** Something for one user's own sockets; what lasts of it is read by REST. */
export type UserEvent = { userId: string; type: string; data: unknown };

export function createUserEvents({ redis, log }: { redis: Redis; log: Log }) {
  const events = createPubSub<UserEvent>({ redis, log, channel: keys.userEvents, read });
  return {
    publish: (userId: string, type: string, data: unknown) => events.publish({ userId, type, data }),
    subscribe: events.subscribe,
    close: events.close,
  };
}

export type UserEvents = ReturnType<typeof createUserEvents>;

function read(value: unknown): UserEvent | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("userId" in value) || !("type" in value) || !("data" in value)) return null;
  const { userId, type, data } = value;
  return typeof userId === "string" && typeof type === "string" ? { userId, type, data } : null;
}
