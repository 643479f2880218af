import type { Db } from "mongodb";
import { MINUTE_MS } from "../../base/durations.ts";
import { newId } from "../../base/ids.ts";
import type { FollowDoc } from "../../store/mongo/channels/follows.ts";
import { type WatchedTopicDoc, watchedTopicsIn } from "../../store/mongo/chat/watched-topics.ts";
import type { FeaturedChannelDoc } from "../../store/mongo/discovery/featured-channels.ts";
import { listedStreamsIn } from "../../store/mongo/live/listed-streams.ts";
import {
  type NotificationDoc,
  notificationsCollection,
} from "../../store/mongo/notifications/notifications.ts";

const FEATURED = 10;
const FOLLOWED = 20;
const NOTIFICATIONS = 60;

type Viewer = { userId: string; streamId: string };
type Owner = { userId: string; streamId: string; categoryId: string | null };

/** What pages of one's own are made of: whom viewers follow, what they have watched, and what they were notified of. */
export async function giveLives(
  db: Db,
  { viewers, owners }: { viewers: readonly Viewer[]; owners: readonly Owner[] },
): Promise<void> {
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * MINUTE_MS);
  const ownerOf = (n: number) => {
    const owner = owners[n % owners.length];
    if (!owner) throw new Error("there are owners");
    return owner;
  };
  await listedStreamsIn(db).adopt(new Date(now));
  await db
    .collection<FeaturedChannelDoc>("featured_channels")
    .insertMany(
      owners
        .slice(0, FEATURED)
        .map(({ userId: _id }, position) => ({ _id, position, featuredAt: new Date(now) })),
    );
  const follows = viewers.flatMap(({ userId }, i) =>
    Array.from({ length: FOLLOWED }, (_, n): FollowDoc => {
      const { userId: followingId } = ownerOf(i + n * 3);
      return {
        _id: `${userId}:${followingId}`,
        id: newId(),
        followerId: userId,
        followingId,
        createdAt: ago(n),
      };
    }),
  );
  await db.collection<FollowDoc>("follows").insertMany(follows);
  const topics = watchedTopicsIn(db);
  for (const [i, { userId }] of viewers.entries()) {
    const categories = [0, 1, 2].flatMap((n) => ownerOf(i + n).categoryId ?? []);
    const watched: Pick<WatchedTopicDoc, "kind" | "value">[] = [
      ...[...new Set(categories)].map((value) => ({ kind: "category" as const, value })),
      { kind: "language", value: "en" },
    ];
    await topics.add(userId, watched, new Date(now));
  }
  const notifications = viewers.flatMap(({ userId }, i) =>
    Array.from({ length: NOTIFICATIONS }, (_, n): NotificationDoc => {
      const owner = ownerOf(i + n);
      const about = { _id: i * NOTIFICATIONS + n + 1, userId, isRead: n >= 10, createdAt: ago(n) };
      return n % 2 === 0
        ? { ...about, type: "follower", told: { kind: "follower", data: { followerId: owner.userId } } }
        : {
            ...about,
            type: "stream_live",
            told: { kind: "stream_live", data: { streamId: owner.streamId, sessionId: newId() } },
          };
    }),
  );
  await notificationsCollection.in(db).insertMany(notifications);
}
