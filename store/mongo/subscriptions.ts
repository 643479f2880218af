import type { ClientSession, Db, Filter } from "mongodb";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

export type Tier = 1 | 2 | 3;

/** A subscription as it reads: written by its actor with every commit, never by anyone else. */
export type SubscriptionDoc = {
  _id: string;
  subscriberId: string;
  /** The channel's owner. */
  channelUserId: string;
  tier: Tier;
  /** From the next renewal on, where it will be another one. */
  nextTier: Tier | null;
  status: "active" | "past_due" | "cancelled" | "expired";
  /** Not expired: a subscriber has at most one such a channel. */
  isCurrent: boolean;
  /** Nothing is billed for it. */
  isGift: boolean;
  giftedBy: string | null;
  /** What each renewal costs; null for a gift. */
  priceCents: number | null;
  startedAt: Date;
  /** Until when it is paid. */
  renewsAt: Date;
  /** Until when it counts, if nothing more is heard. */
  entitledUntil: Date;
  cancelledAt: Date | null;
};

/** The index by which a subscriber has at most one current subscription a channel, as a violation of it is named. */
export const ONE_CURRENT_A_CHANNEL = "subscriptions.one_current_a_channel";

export const subscriptionsCollection = defineCollection<SubscriptionDoc>("subscriptions", {
  personal: {
    actor: "subscription",
    // What was paid stays in the books.
    erase: { subscriberId: "anonymise", channelUserId: "anonymise", giftedBy: "anonymise" },
    exports: [
      {
        by: "subscriberId",
        shows: [
          "channelUserId",
          "tier",
          "status",
          "isGift",
          "priceCents",
          "startedAt",
          "renewsAt",
          "cancelledAt",
        ],
      },
      { as: "gifts", by: "giftedBy", shows: ["channelUserId", "tier", "startedAt"] },
    ],
  },

  indexes: [
    { key: { giftedBy: 1 }, partialFilterExpression: { giftedBy: { $gte: "" } } }, // export and erasure

    {
      key: { subscriberId: 1, channelUserId: 1 }, // current, tierOf
      unique: true,
      partialFilterExpression: { isCurrent: true },
      name: "one_current_a_channel",
    },
    { key: { subscriberId: 1, startedAt: -1, _id: -1 } }, // pageOfSubscriber
    { key: { channelUserId: 1, isCurrent: 1, startedAt: -1, _id: -1 } }, // pageOfChannel, billedFor
    { key: { channelUserId: 1, status: 1, tier: 1 } }, // activeByTier
    { key: { channelUserId: 1, startedAt: 1 } }, // startedSince
    { key: { channelUserId: 1, cancelledAt: 1 } }, // cancelledSince
  ],
});

const NEWEST = { startedAt: -1, _id: -1 } as const;

export function subscriptionsIn(db: Db) {
  const subscriptions = subscriptionsCollection.in(db);

  async function billed(whose: Filter<SubscriptionDoc>, limit: number): Promise<string[]> {
    const found = await subscriptions
      .find(
        { ...whose, isCurrent: true, status: { $in: ["active", "past_due"] }, isGift: false },
        { projection: { _id: 1 } },
      )
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  }

  return {
    find: (id: string) => subscriptions.findOne({ _id: id }),
    current: (subscriberId: string, channelUserId: string) =>
      subscriptions.findOne({ subscriberId, channelUserId, isCurrent: true }),
    /** What a user is entitled to in a channel at that time; null for nothing. */
    async tierOf(subscriberId: string, channelUserId: string, now: Date): Promise<Tier | null> {
      const found = await subscriptions.findOne(
        { subscriberId, channelUserId, isCurrent: true, entitledUntil: { $gt: now } },
        { projection: { tier: 1 } },
      );
      return found?.tier ?? null;
    },
    /** The same of several users; without those who are entitled to nothing. */
    async tiersOf(
      subscriberIds: readonly string[],
      channelUserId: string,
      now: Date,
    ): Promise<ReadonlyMap<string, Tier>> {
      const found = await subscriptions
        .find(
          {
            subscriberId: { $in: [...subscriberIds] },
            ...{ channelUserId, isCurrent: true, entitledUntil: { $gt: now } },
          },
          { projection: { subscriberId: 1, tier: 1 } },
        )
        .toArray();
      return new Map(found.map(({ subscriberId, tier }) => [subscriberId, tier]));
    },
    /** Newest first, those that are over too. */
    pageOfSubscriber: (subscriberId: string, skip: number, limit: number) =>
      pageIn(subscriptions, { subscriberId }, NEWEST, { skip, limit }),
    /** Current ones, newest first. */
    pageOfChannel: (channelUserId: string, skip: number, limit: number) =>
      pageIn(subscriptions, { channelUserId, isCurrent: true }, NEWEST, { skip, limit }),
    /** How many of a channel are active, by tier; tiers without any are left out. */
    async activeByTier(channelUserId: string): Promise<Map<Tier, number>> {
      const found = await subscriptions
        .aggregate<{ _id: Tier; count: number }>([
          { $match: { channelUserId, status: "active" } },
          { $group: { _id: "$tier", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(found.map(({ _id, count }) => [_id, count]));
    },
    startedSince: (channelUserId: string, since: Date): Promise<number> =>
      subscriptions.countDocuments({ channelUserId, startedAt: { $gte: since } }),
    /** Those that are over by now too; not those whose cancellation was taken back. */
    cancelledSince: (channelUserId: string, since: Date): Promise<number> =>
      subscriptions.countDocuments({ channelUserId, cancelledAt: { $gte: since } }),
    /** Those that a platform bills for these channels, by their ids. */
    billedFor: (channelUserIds: readonly string[], limit: number): Promise<string[]> =>
      billed({ channelUserId: { $in: [...channelUserIds] } }, limit),
    /** Those that a platform bills a user for, and others for the user's channel, by their ids. */
    billedAround: (userId: string, limit: number): Promise<string[]> =>
      billed({ $or: [{ subscriberId: userId }, { channelUserId: userId }] }, limit),
    /** A second current one of a subscriber and channel is a duplicate key. */
    save: async (docs: SubscriptionDoc[], session: ClientSession) =>
      void (await subscriptions.bulkWrite(
        docs.map((doc) => ({ replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true } })),
        { session },
      )),
  };
}
