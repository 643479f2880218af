import type { NotificationType } from "../../store/mongo/notifications/notification-facts.ts";

/** Singular and plural per type. */
const NOUNS: Record<NotificationType, readonly [one: string, several: string]> = {
  stream_live: ["channel live", "channels live"],
  mention: ["mention", "mentions"],
  follower: ["new follower", "new followers"],
  raid: ["raid", "raids"],
  clip: ["new clip", "new clips"],
  subscription: ["subscription", "subscriptions"],
  donation: ["tip", "tips"],
  unban_request: ["decided unban request", "decided unban requests"],
};

/** Title and body that summarize several notifications, the most frequent type first. */
export function digestOf(types: readonly NotificationType[]): { title: string; body: string } {
  const counts = new Map<NotificationType, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const parts = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([type, count]) => `${count} ${NOUNS[type][count === 1 ? 0 : 1]}`);
  return { title: `${types.length} new notifications`, body: parts.join(", ") };
}
