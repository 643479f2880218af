import type { Log } from "../../store/log.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createPubSub } from "./pubsub.ts";

/** Something for one user's own sockets; what lasts of it is read by REST. */
export type UserEvent = { userId: string; type: string; data: unknown };

export type Recipient = { userId: string; data: unknown };

/** One event for many users, each with data of their own, as it travels. */
type UserEventBatch = { type: string; to: Recipient[] };

/** A payout concerns a thousand at once; every worker reads every message, so that few large ones cost it least. */
const RECIPIENTS_A_MESSAGE = 200;

export function createUserEvents({ redis, log }: { redis: RedisConnection; log: Log }) {
  const events = createPubSub<UserEventBatch>({ redis, log, channel: keys.userEvents, read });
  return {
    /** Throws unavailable; then some of them may have been published. */
    async publish(type: string, recipients: readonly Recipient[]): Promise<void> {
      for (let i = 0; i < recipients.length; i += RECIPIENTS_A_MESSAGE) {
        await events.publish({ type, to: recipients.slice(i, i + RECIPIENTS_A_MESSAGE) });
      }
    },
    /** Returns how to stop. Waits while Redis is unavailable. */
    subscribe: (handler: (event: UserEvent) => void) =>
      events.subscribe(({ type, to }) => {
        for (const { userId, data } of to) handler({ userId, type, data });
      }),
    close: events.close,
  };
}

export type UserEvents = ReturnType<typeof createUserEvents>;

function read(value: unknown): UserEventBatch | null {
  if (typeof value !== "object" || value === null || !("type" in value) || !("to" in value)) return null;
  const { type, to } = value;
  return typeof type === "string" && Array.isArray(to) && to.every(isRecipient) ? { type, to } : null;
}

function isRecipient(value: unknown): value is Recipient {
  return (
    typeof value === "object" &&
    value !== null &&
    "userId" in value &&
    "data" in value &&
    typeof value.userId === "string"
  );
}
