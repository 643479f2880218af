import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import type { Tier } from "./subscriptions.ts";

/** What is paid for, at the price at the time of the order. */
type Order =
  | { kind: "subscription"; subscriberId: string; subscriptionId: string; tier: Tier }
  | { kind: "gift"; subscriberId: string; subscriptionId: string; tier: Tier }
  | { kind: "tip"; tipId: string };

/** A payment that was started. Reports of the platform change nothing in it but `paidAt` and `failedAt`. */
export type CheckoutDoc = {
  _id: string;
  order: Order;
  /** Null for a payer who isn't signed in. */
  payerId: string | null;
  channelUserId: string;
  amountCents: number;
  currency: string;
  /** Where to pay; null until the platform has created it. */
  session: { url: string | null; clientSecret: string | null; expiresAt: Date } | null;
  paidAt: Date | null;
  /** When the platform reported that the payment had failed; absent if it hasn't. */
  failedAt?: Date;
  createdAt: Date;
  /** When it is removed if it isn't paid; null once it is paid. */
  removeAt: Date | null;
};

/** A filter of what has been paid, for indexes of that alone. */
export const PAID = { $gte: new Date(0) };

export const checkoutsCollection = defineCollection<CheckoutDoc>("checkouts", {
  personal: {
    // Payment records are kept for accounting.
    erase: { payerId: "anonymise", channelUserId: "anonymise", "order.subscriberId": "anonymise" },
    exports: [{ by: "payerId", shows: ["order.kind", "amountCents", "currency", "createdAt", "paidAt"] }],
  },

  indexes: [
    { key: { payerId: 1 }, partialFilterExpression: { payerId: { $gte: "" } } }, // export and erasure
    { key: { removeAt: 1 }, expireAfterSeconds: 0 },
    // The activity feed and the timeline; one that waits to be paid isn't in it.
    {
      key: { channelUserId: 1, "order.kind": 1, paidAt: -1, _id: -1 },
      partialFilterExpression: { paidAt: PAID },
    },
  ],
});

/** A subscriber and a channel; they have one subscription at a time. */
export type SubscribedPair = { subscriberId: string; channelUserId: string };

/** The subscription that the next payment of a user for a channel goes to; `_id` is "subscriber:channel". */
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
    /** An existing one stays unchanged. */
    begin: async (doc: CheckoutDoc) =>
      void (await checkouts.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    /** If several sessions were opened for the same checkout, the first wins; returns that one. */
    async opened(id: string, session: NonNullable<CheckoutDoc["session"]>) {
      await checkouts.updateOne({ _id: id, session: null }, { $set: { session } });
      return (await checkouts.findOne({ _id: id }))?.session ?? session;
    },
    paid: async (id: string, paidAt: Date) =>
      void (await checkouts.updateOne({ _id: id }, { $set: { paidAt, removeAt: null } })),
    /** One that is paid stays so: the payer may have tried twice. */
    failed: async (id: string, failedAt: Date) =>
      void (await checkouts.updateOne({ _id: id, paidAt: null }, { $set: { failedAt } })),
    /** Assigns the payment to another subscription. */
    goesTo: async (id: string, subscriptionId: string) =>
      void (await checkouts.updateOne({ _id: id }, { $set: { "order.subscriptionId": subscriptionId } })),

    /** The subscription of a seat; becomes `fresh` when there was none. */
    async seat(pair: SubscribedPair, fresh: string): Promise<string> {
      const doc = await seats.findOneAndUpdate(
        { _id: seatKeyOf(pair) },
        { $setOnInsert: { subscriptionId: fresh } },
        { upsert: true, returnDocument: "after" },
      );
      return doc?.subscriptionId ?? fresh;
    },
    /** Replaces the subscription `over` by `fresh`; if somebody else was first, returns theirs. */
    async reseat(pair: SubscribedPair, over: string, fresh: string): Promise<string> {
      const key = seatKeyOf(pair);
      await seats.updateOne({ _id: key, subscriptionId: over }, { $set: { subscriptionId: fresh } });
      return (await seats.findOne({ _id: key }))?.subscriptionId ?? fresh;
    },
  };
}

const seatKeyOf = ({ subscriberId, channelUserId }: SubscribedPair) => `${subscriberId}:${channelUserId}`;
