/**
 * Decides whether a user's waiting notifications are sent now, and how: a sliding window limits the messages of each way. The
 * excess is held back until the oldest message leaves the window, and is then sent as one digest; so are notifications that
 * quiet hours have held back.
 */
import { HOUR_MS, MINUTE_MS } from "../../base/durations.ts";
import type {
  DeliveryWay,
  NotificationDeliveryDoc,
} from "../../store/mongo/notifications/notification-deliveries.ts";

type RateLimit = { messages: number; withinMs: number };

export const RATE_LIMITS: Record<DeliveryWay, RateLimit> = {
  push: { messages: 3, withinMs: 10 * MINUTE_MS },
  mail: { messages: 3, withinMs: HOUR_MS },
};

export const LONGEST_WINDOW_MS = Math.max(...Object.values(RATE_LIMITS).map(({ withinMs }) => withinMs));

type Decision =
  | { how: "hold"; until: Date }
  | { how: "each" }
  /** All together in one message. */
  | { how: "digest" };

/** `sentAt`: when this user's messages of this way were handed over, in any order. */
export function decideDelivery(
  waiting: readonly Pick<NotificationDeliveryDoc, "createdAt" | "dueAt">[],
  sentAt: readonly Date[],
  { messages, withinMs }: RateLimit,
  now: Date,
): Decision {
  const recent = sentAt.map((at) => at.getTime()).filter((at) => at > now.getTime() - withinMs);
  const left = messages - recent.length;
  if (left <= 0) return { how: "hold", until: new Date(Math.min(...recent) + withinMs) };
  const wasHeld = waiting.some(({ createdAt, dueAt }) => dueAt > createdAt);
  return { how: waiting.length > 1 && (wasHeld || waiting.length > left) ? "digest" : "each" };
}
