import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import type { Listed, NotificationType } from "./notification-facts.ts";
import { pageIn } from "./page.ts";

/** A line of a user's list. Names and pictures are looked up by who shows it. */
export type NotificationDoc = {
  _id: number;
  userId: string;
  type: NotificationType;
  told: Listed;
  isRead: boolean;
  createdAt: Date;
};

/** Of a user, the newest. */
export const MAX_NOTIFICATIONS = 500;
const KEPT_SECONDS = 90 * 86_400;

export const notificationsCollection = defineCollection<NotificationDoc>("notifications", {
  personal: {
    erase: {
      userId: "delete",
      told: {
        keep: "what others are told names an id that leads nowhere, and is removed by itself after 90 days",
      },
    },
    exports: [{ by: "userId", shows: ["type", "isRead", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1, createdAt: -1, _id: -1 } }, // page, pastTheNewest, erasure, export
    { key: { userId: 1, isRead: 1 } }, // unread, standings
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

/** How many somebody has. */
export type Standing = { _id: string; total: number; unread: number };

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

export function notificationsIn(db: Db) {
  const notifications = notificationsCollection.in(db);

  /** Ids of those behind the newest that are kept. */
  const pastTheNewest = async (userId: string, session: ClientSession): Promise<number[]> =>
    (
      await notifications
        .find({ userId }, { session, projection: { _id: 1 } })
        .sort(NEWEST_FIRST)
        .skip(MAX_NOTIFICATIONS)
        .toArray()
    ).map(({ _id }) => _id);

  return {
    page: (userId: string, skip: number, limit: number) =>
      pageIn(notifications, { userId }, NEWEST_FIRST, { skip, limit }),

    /** Those of them that are there and weren't read. */
    unreadAmong: (ids: number[]) =>
      notifications.find({ _id: { $in: ids }, isRead: false }, inOneReply(ids.length)).toArray(),

    unread: (userId: string) => notifications.countDocuments({ userId, isRead: false }),

    /** What several users have, by one statement that reads an index alone; who has none is left out. */
    async standings(userIds: string[], session: ClientSession): Promise<Standing[]> {
      const unread = { $sum: { $cond: ["$isRead", 0, 1] } };
      return notifications
        .aggregate<Standing>(
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

    /** Removes a user's oldest past the most that are kept. */
    async trim(userId: string, session: ClientSession): Promise<void> {
      const old = await pastTheNewest(userId, session);
      await notifications.deleteMany({ _id: { $in: old } }, { session });
    },

    /** False when the user has none of that id. */
    read: async (userId: string, id: number): Promise<boolean> =>
      (await notifications.updateOne({ _id: id, userId }, { $set: { isRead: true } })).matchedCount > 0,

    readAll: async (userId: string): Promise<void> =>
      void (await notifications.updateMany({ userId, isRead: false }, { $set: { isRead: true } })),

    /** False when the user has none of that id. */
    remove: async (userId: string, id: number): Promise<boolean> =>
      (await notifications.deleteOne({ _id: id, userId })).deletedCount > 0,
  };
}
