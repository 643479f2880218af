import type { Db } from "mongodb";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import type { NotificationType } from "./notification-facts.ts";

/** Of a user, `_id`; who never set any has no row. */
export type NotificationPreferencesDoc = {
  _id: string;
  /** What isn't told. */
  off: NotificationType[];
  /** Their time of day counts, in `timeZone`; both or none. */
  quietHoursStart: Date | null;
  quietHoursEnd: Date | null;
  /** A name of the IANA database. */
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
    /** Off is the default: who has set nothing stays without a row. */
    switchMailOff: async (userId: string, changedAt: Date): Promise<void> =>
      void (await preferences.updateOne({ _id: userId }, { $set: { emailEnabled: false, changedAt } })),
    set: async (doc: NotificationPreferencesDoc): Promise<void> =>
      void (await preferences.replaceOne({ _id: doc._id }, doc, { upsert: true })),
  };
}
