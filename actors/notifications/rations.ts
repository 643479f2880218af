/**
 * How much of what waits for a user is told now, and as what: at most so many messages in a time. What comes beyond is held back
 * until the oldest of them is so long ago, and is then told as one digest; so is what quiet hours have held back.
 */
import type { DeliveryWay, NotificationDeliveryDoc } from "../../store/mongo/notification-deliveries.ts";

export type Ration = { messages: number; withinMs: number };

export const RATIONS: Record<DeliveryWay, Ration> = {
  push: { messages: 3, withinMs: 10 * 60_000 },
  mail: { messages: 3, withinMs: 60 * 60_000 },
};

export const LONGEST_RATION_MS = Math.max(...Object.values(RATIONS).map(({ withinMs }) => withinMs));

export type Decision =
  | { how: "hold"; until: Date }
  | { how: "each" }
  /** All in one message. */
  | { how: "digest" };

/** `sentAt`: when this user's messages of this way were handed on, in any order. */
export function decide(
  waiting: readonly Pick<NotificationDeliveryDoc, "createdAt" | "dueAt">[],
  sentAt: readonly Date[],
  { messages, withinMs }: Ration,
  now: Date,
): Decision {
  const recent = sentAt.map((at) => at.getTime()).filter((at) => at > now.getTime() - withinMs);
  const left = messages - recent.length;
  if (left <= 0) return { how: "hold", until: new Date(Math.min(...recent) + withinMs) };
  const wasHeld = waiting.some(({ createdAt, dueAt }) => dueAt > createdAt);
  return { how: waiting.length > 1 && (wasHeld || waiting.length > left) ? "digest" : "each" };
}
