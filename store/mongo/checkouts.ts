import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import type { Tier } from "./subscriptions.ts";

/** What is paid for, at the price of when it was asked for. */
type Order =
  | { kind: "subscription"; subscriberId: string; subscriptionId: string; tier: Tier }
  | { kind: "gift"; subscriberId: string; subscriptionId: string; tier: Tier }
  | { kind: "tip"; tipId: string };

/** A payment that was begun. Never changed by what a platform reports but for `paidAt`. */
export type CheckoutDoc = {
  _id: string;
  order: Order;
  /** Null for who isn't signed in. */
  payerId: string | null;
  channelUserId: string;
  amountCents: number;
  currency: string;
  /** Where to pay; null until the platform has said. */
  session: { url: string | null; clientSecret: string | null; expiresAt: Date } | null;
  paidAt: Date | null;
  createdAt: Date;
  /** When it is removed, as one that was never paid; null once it was. */
  removeAt: Date | null;
};

export const checkoutsCollection = defineCollection<CheckoutDoc>("checkouts", {
  personal: {
    // What was paid stays in the books.
    erase: { payerId: "anonymise", channelUserId: "anonymise", "order.subscriberId": "anonymise" },
    exports: [{ by: "payerId", shows: ["order.kind", "amountCents", "currency", "createdAt", "paidAt"] }],
  },

  indexes: [
    { key: { payerId: 1 }, partialFilterExpression: { payerId: { $gte: "" } } }, // export and erasure
    { key: { removeAt: 1 }, expireAfterSeconds: 0 },
  ],
});

/** Which subscription the next payment of a user for a channel goes to: "subscriber:channel". */
type SeatDoc = { _id: string; subscriptionId: string };
export const subscriptionSeatsCollection = defineCollection<SeatDoc>("subscription_seats", {
  personal: {
    erase: { _id: { key: "either", does: "delete" } },
    exports: { nothing: "it leads to the subscriptions, which are exported" },
  },
});

export function checkoutsIn(db: Db) {
  const checkouts = checkoutsCollection.in(db);
  const seats = subscriptionSeatsCollection.in(db);
  return {
    find: (id: string) => checkouts.findOne({ _id: id }),
    /** One that is there already stays as it is. */
    begin: async (doc: CheckoutDoc) =>
      void (await checkouts.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    /** Of several that were opened for the same one the first counts; gives that back. */
    async opened(id: string, session: NonNullable<CheckoutDoc["session"]>) {
      await checkouts.updateOne({ _id: id, session: null }, { $set: { session } });
      return (await checkouts.findOne({ _id: id }))?.session ?? session;
    },
    paid: async (id: string, paidAt: Date) =>
      void (await checkouts.updateOne({ _id: id }, { $set: { paidAt, removeAt: null } })),
    /** The payment goes to another subscription than was thought. */
    goesTo: async (id: string, subscriptionId: string) =>
      void (await checkouts.updateOne({ _id: id }, { $set: { "order.subscriptionId": subscriptionId } })),

    /** The subscription of a seat; `fresh` when there was none. */
    async seat(key: string, fresh: string): Promise<string> {
      const doc = await seats.findOneAndUpdate(
        { _id: key },
        { $setOnInsert: { subscriptionId: fresh } },
        { upsert: true, returnDocument: "after" },
      );
      return doc?.subscriptionId ?? fresh;
    },
    /** Another one instead of that one; where somebody else was first, theirs counts. */
    async reseat(key: string, over: string, fresh: string): Promise<string> {
      await seats.updateOne({ _id: key, subscriptionId: over }, { $set: { subscriptionId: fresh } });
      return (await seats.findOne({ _id: key }))?.subscriptionId ?? fresh;
    },
  };
}
