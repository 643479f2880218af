import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import type { Listed, NotificationType } from "./notification-facts.ts";

/** A line of a user's list. Names and pictures are looked up when it is shown. */
export type NotificationDoc = {
  _id: number;
  userId: string;
  type: NotificationType;
  /** The fact that it shows. */
  told: Listed;
  isRead: boolean;
  createdAt: Date;
};

/** Per user; older ones are trimmed. */
export const MAX_NOTIFICATIONS = 500;
const TTL_SECONDS = 90 * 86_400;

export const notificationsCollection = defineCollection<NotificationDoc>("notifications", {
  personal: {
    erase: {
      userId: "delete",
      told: {
        keep: "what others are notified of names an id that leads nowhere, and is removed by itself after 90 days",
      },
    },
    exports: [{ by: "userId", shows: ["type", "isRead", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1, createdAt: -1, _id: -1 } }, // page, pastTheNewest, erasure, export
    { key: { userId: 1, isRead: 1 } }, // unread, standings
    { key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS },
  ],
});

/** How many notifications a user has. */
export type NotificationCounts = { _id: string; total: number; unread: number };

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

export function notificationsIn(db: Db) {
  const notifications = notificationsCollection.in(db);

  /** Ids past the newest MAX_NOTIFICATIONS. */
  const pastTheNewest = async (userId: string, session: ClientSession): Promise<number[]> =>
    (
      await notifications
        .find({ userId }, { session, projection: { _id: 1 } })
        .sort(NEWEST_FIRST)
        .skip(MAX_NOTIFICATIONS)
        .toArray()
    ).map(({ _id }) => _id);

  return {
    page: (userId: string, range: Range) => pageIn(notifications, { userId }, NEWEST_FIRST, range),

    /** Those of them that exist and are unread. */
    unreadAmong: (ids: number[]) =>
      notifications.find({ _id: { $in: ids }, isRead: false }, inOneReply(ids.length)).toArray(),

    unread: (userId: string) => notifications.countDocuments({ userId, isRead: false }),

    /** Counts for several users, by one covered query; users without any are left out. */
    async standings(userIds: string[], session: ClientSession): Promise<NotificationCounts[]> {
      const unread = { $sum: { $cond: ["$isRead", 0, 1] } };
      return notifications
        .aggregate<NotificationCounts>(
          [
            { $match: { userId: { $in: userIds } } },
            { $group: { _id: "$userId", total: { $sum: 1 }, unread } },
          ],
          { session, hint: { userId: 1, isRead: 1 }, ...inOneReply(userIds.length) },
        )
        .toArray();
    },

    insert: async (docs: NotificationDoc[], session: ClientSession): Promise<void> =>
      void (await notifications.insertMany(docs, { session })),

    /** Removes a user's oldest notifications past the limit. */
    async trim(userId: string, session: ClientSession): Promise<void> {
      const old = await pastTheNewest(userId, session);
      await notifications.deleteMany({ _id: { $in: old } }, { session });
    },

    /** False when the user has no notification with that id. */
    read: async (userId: string, id: number): Promise<boolean> =>
      (await notifications.updateOne({ _id: id, userId }, { $set: { isRead: true } })).matchedCount > 0,

    readAll: async (userId: string): Promise<void> =>
      void (await notifications.updateMany({ userId, isRead: false }, { $set: { isRead: true } })),

    /** False when the user has no notification with that id. */
    remove: async (userId: string, id: number): Promise<boolean> =>
      (await notifications.deleteOne({ _id: id, userId })).deletedCount > 0,
  };
}
