import type { AnyBulkWriteOperation, ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { HELD_SINCE, holdingIn, type OutboxRow } from "../driver/held-rows.ts";
import type { NotificationType } from "./notification-facts.ts";

/** The ways that this release knows: a newer one running at the same time may have others. */
const WAYS = ["push", "mail"] as const;
export type DeliveryWay = (typeof WAYS)[number];

/** A line of a user's list that is also sent by push or mail; written with the line, and kept for a while after it is done. */
export type NotificationDeliveryDoc = {
  /** "way:notification", so that each is delivered once. */
  _id: string;
  notificationId: number;
  userId: string;
  way: DeliveryWay;
  type: NotificationType;
  createdAt: Date;
  /** Not before this: the end of quiet hours, or of a rate limit's window. */
  dueAt: Date;
  /** When it was handed on, or discarded as useless. Null: waiting. */
  doneAt: Date | null;
  /** The message that it became part of: several may share one. Null: none. */
  messageId: string | null;
  /** Since when it waits for an operator, since the database was restored: `dueAt` is far off then. */
  heldAt?: Date;
};

/** When held ones are due, for workers of any release. */
const NEVER = new Date("9999-01-01T00:00:00Z");

const TTL_SECONDS = 3 * 86_400;

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
      { key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS },
    ],
  },
);

/** A message that was delivered to a user. */
type DeliveredMessage = { userId: string; way: DeliveryWay; messageId: string; at: Date };

/** The next state of a waiting delivery: done, or postponed. */
export type DeliveryChange = { _id: string } & ({ messageId: string | null } | { dueAt: Date });

export function notificationDeliveriesIn(db: Db) {
  const deliveries = notificationDeliveriesCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    ...holdingIn(notificationDeliveriesCollection.in<OutboxRow>(db), {
      waiting: { doneAt: null },
      held: HELD_SINCE,
      hold: (heldAt) => ({ $set: { heldAt, dueAt: NEVER } }),
      release: (dueAt) => ({ $set: { dueAt }, $unset: { heldAt: "" } }),
      drop: (doneAt) => ({ $set: { doneAt }, $unset: { heldAt: "" } }),
      kind: { $concat: ["$way", " ", "$type"] },
    }),

    insert: async (docs: NotificationDeliveryDoc[], session: ClientSession): Promise<void> =>
      void (await deliveries.insertMany(docs, { session, ordered: false })),

    /** Waiting ones, longest due first. */
    due: (now: Date, limit: number) =>
      batchedFind(
        deliveries,
        { doneAt: null, dueAt: { $lte: now }, way: { $in: [...WAYS] } },
        { sort: { dueAt: 1 }, limit },
      ),

    /** Messages delivered to users since then, each once. */
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

    /** Returns how many of them were still waiting. */
    async change(changes: readonly DeliveryChange[], at: Date, session: ClientSession): Promise<number> {
      const each = changes.map(({ _id, ...change }): AnyBulkWriteOperation<NotificationDeliveryDoc> => {
        const $set = "dueAt" in change ? change : { ...change, doneAt: at };
        return { updateOne: { filter: { _id, doneAt: null }, update: { $set } } };
      });
      return (await deliveries.bulkWrite(each, { session, ordered: false })).matchedCount;
    },
  };
}
