import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import type { NotificationType } from "./notification-facts.ts";

/** Those that this release knows: a newer one beside it may have others. */
const WAYS = ["push", "mail"] as const;
export type DeliveryWay = (typeof WAYS)[number];

/** That a line of a user's list is to be told by push or mail too; written with the line, and kept for a while once it was. */
export type NotificationDeliveryDoc = {
  /** "way:notification": once each. */
  _id: string;
  notificationId: number;
  userId: string;
  way: DeliveryWay;
  type: NotificationType;
  createdAt: Date;
  /** Not before: the end of quiet hours, or of a time in which enough was told. */
  dueAt: Date;
  /** When it was handed on, or found to be of no use. Null: it waits. */
  doneAt: Date | null;
  /** What it was handed on as: several may be one message. Null: as nothing. */
  messageId: string | null;
};

const KEPT_SECONDS = 3 * 86_400;

export const notificationDeliveriesCollection = defineCollection<NotificationDeliveryDoc>(
  "notification_deliveries",
  {
    personal: {
      erase: { userId: "delete" },
      exports: { nothing: "that lines of the list were also pushed or mailed, kept for three days" },
    },
    indexes: [
      { key: { doneAt: 1, dueAt: 1 } }, // due
      { key: { userId: 1, way: 1, doneAt: 1 } }, // messagesSince; erasure
      { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
    ],
  },
);

/** A message that a user got. */
export type DeliveredMessage = { userId: string; way: DeliveryWay; messageId: string; at: Date };

/** What becomes of one that waits: it is done with, or waits until then. */
export type DeliveryChange = { _id: string } & ({ messageId: string | null } | { dueAt: Date });

export function notificationDeliveriesIn(db: Db) {
  const deliveries = notificationDeliveriesCollection.in(db);
  return {
    insert: async (docs: NotificationDeliveryDoc[], session: ClientSession): Promise<void> =>
      void (await deliveries.insertMany(docs, { session, ordered: false })),

    /** Those that wait, the longest due first. */
    due: (now: Date, limit: number) =>
      deliveries
        .find({ doneAt: null, dueAt: { $lte: now }, way: { $in: [...WAYS] } }, inOneReply(limit))
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),

    /** What users got since then, each message once. */
    async messagesSince(userIds: string[], since: Date): Promise<DeliveredMessage[]> {
      const found = await deliveries
        .aggregate<{ _id: Omit<DeliveredMessage, "at">; at: Date }>([
          { $match: { userId: { $in: userIds }, way: { $in: [...WAYS] }, doneAt: { $gt: since } } },
          { $match: { messageId: { $ne: null } } },
          {
            $group: {
              _id: { userId: "$userId", way: "$way", messageId: "$messageId" },
              at: { $max: "$doneAt" },
            },
          },
        ])
        .toArray();
      return found.map(({ _id, at }) => ({ ..._id, at }));
    },

    /** How many of them waited until now. */
    async change(changes: readonly DeliveryChange[], at: Date, session: ClientSession): Promise<number> {
      const each = changes.map(({ _id, ...change }): AnyBulkWriteOperation<NotificationDeliveryDoc> => {
        const $set = "dueAt" in change ? change : { ...change, doneAt: at };
        return { updateOne: { filter: { _id, doneAt: null }, update: { $set } } };
      });
      return (await deliveries.bulkWrite(each, { session, ordered: false })).matchedCount;
    },
  };
}
