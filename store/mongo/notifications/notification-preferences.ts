import type { Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import type { NotificationType } from "./notification-facts.ts";

/** A user's preferences, `_id` being the user; there is no row until something is set. */
export type NotificationPreferencesDoc = {
  _id: string;
  /** Types that the user has switched off. */
  off: NotificationType[];
  /** Only the time of day counts, in `timeZone`; both are set or none. */
  quietHoursStart: Date | null;
  quietHoursEnd: Date | null;
  /** IANA time zone. */
  timeZone: string;
  emailEnabled: boolean;
  pushEnabled: boolean;
  changedAt: Date;
};

export const notificationPreferencesCollection = defineCollection<NotificationPreferencesDoc>(
  "notification_preferences",
  {
    personal: {
      erase: { _id: "delete" },
      exports: [
        {
          by: "_id",
          shows: ["off", "quietHoursStart", "quietHoursEnd", "timeZone", "emailEnabled", "pushEnabled"],
        },
      ],
    },
  },
);

export function notificationPreferencesIn(db: Db) {
  const preferences = notificationPreferencesCollection.in(db);
  return {
    find: (userId: string) => preferences.findOne({ _id: userId }),
    findMany: (userIds: string[]) => byIds(preferences, userIds),
    /** Creates no row, since off is the default. */
    switchMailOff: async (userId: string, changedAt: Date): Promise<void> =>
      void (await preferences.updateOne({ _id: userId }, { $set: { emailEnabled: false, changedAt } })),
    set: async (doc: NotificationPreferencesDoc): Promise<void> =>
      void (await preferences.replaceOne({ _id: doc._id }, doc, { upsert: true })),
  };
}
