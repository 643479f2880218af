import type { ClientSession, Db, Filter } from "mongodb";
import { rangeFilter, type TimeRange } from "../channels/rollup-times.ts";
import { type ChannelMember, inOneReply, putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { sumsByDay } from "../driver/time-sums.ts";

export type Tier = 1 | 2 | 3;

export const SUBSCRIPTION_STATUSES = ["active", "past_due", "cancelled", "expired"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** The read model of a subscription: written by its actor with every commit, never by anyone else. */
export type SubscriptionDoc = {
  _id: string;
  subscriberId: string;
  /** The channel's owner. */
  channelUserId: string;
  tier: Tier;
  /** The tier from the next renewal on, if it will change. */
  nextTier: Tier | null;
  status: SubscriptionStatus;
  /** Not expired: at most one per subscriber and channel. */
  isCurrent: boolean;
  /** A gift isn't billed. */
  isGift: boolean;
  giftedBy: string | null;
  /** Price of each renewal; null for a gift. */
  priceCents: number | null;
  startedAt: Date;
  /** The end of the paid period. */
  renewsAt: Date;
  /** The end of the entitlement, unless the platform reports something else. */
  entitledUntil: Date;
  cancelledAt: Date | null;
};

/** The unique index that allows one current subscription per subscriber and channel, as `violatedIndex` names it. */
export const ONE_CURRENT_A_CHANNEL = "subscriptions.one_current_a_channel";

export const subscriptionsCollection = defineCollection<SubscriptionDoc>("subscriptions", {
  personal: {
    actor: "subscription",
    // Payment records are kept for accounting.
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
    { key: { channelUserId: 1, startedAt: 1 } }, // startedByDay
    { key: { channelUserId: 1, cancelledAt: 1 } }, // cancelledIn
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
    /** The tier that a user is entitled to in a channel at that time; null for none. */
    async tierOf(subscriberId: string, channelUserId: string, now: Date): Promise<Tier | null> {
      const found = await subscriptions.findOne(
        { subscriberId, channelUserId, isCurrent: true, entitledUntil: { $gt: now } },
        { projection: { tier: 1 } },
      );
      return found?.tier ?? null;
    },
    /** The same for each pair of a channel's owner and a user. */
    async tiersOf(pairs: readonly ChannelMember[], now: Date): Promise<(Tier | null)[]> {
      const found = await subscriptions
        .find(
          {
            subscriberId: { $in: [...new Set(pairs.map(([, userId]) => userId))] },
            channelUserId: { $in: [...new Set(pairs.map(([ownerId]) => ownerId))] },
            isCurrent: true,
            entitledUntil: { $gt: now },
          },
          { projection: { subscriberId: 1, channelUserId: 1, tier: 1 }, ...inOneReply(pairs.length) },
        )
        .toArray();
      const tiers = new Map(
        found.map(({ subscriberId, channelUserId, tier }) => [`${channelUserId} ${subscriberId}`, tier]),
      );
      return pairs.map(([ownerId, userId]) => tiers.get(`${ownerId} ${userId}`) ?? null);
    },
    /** Newest first, expired ones included. */
    pageOfSubscriber: (subscriberId: string, range: Range) =>
      pageIn(subscriptions, { subscriberId }, NEWEST, range),
    /** Current ones, newest first. */
    pageOfChannel: (channelUserId: string, range: Range) =>
      pageIn(subscriptions, { channelUserId, isCurrent: true }, NEWEST, range),
    /** A channel's number of active subscriptions by tier; tiers without any are left out. */
    async activeByTier(channelUserId: string): Promise<Map<Tier, number>> {
      const found = await subscriptions
        .aggregate<{ _id: Tier; count: number }>([
          { $match: { channelUserId, status: "active" } },
          { $group: { _id: "$tier", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(found.map(({ _id, count }) => [_id, count]));
    },
    /** How many began, by Unix ms of the day's (UTC) beginning; days without are left out. */
    startedByDay: (channelUserId: string, range: TimeRange): Promise<Map<number, number>> =>
      sumsByDay(
        subscriptions,
        { channelUserId, startedAt: rangeFilter(range) },
        { time: "startedAt", of: 1 },
      ),
    /** How many were cancelled and not resumed. */
    cancelledIn: (channelUserId: string, range: TimeRange): Promise<number> =>
      subscriptions.countDocuments({ channelUserId, cancelledAt: rangeFilter(range) }),
    /** Ids of subscriptions to these channels that a platform bills. */
    billedFor: (channelUserIds: readonly string[], limit: number): Promise<string[]> =>
      billed({ channelUserId: { $in: [...channelUserIds] } }, limit),
    /** Ids of subscriptions that a platform bills, by the user or to the user's channel. */
    billedAround: (userId: string, limit: number): Promise<string[]> =>
      billed({ $or: [{ subscriberId: userId }, { channelUserId: userId }] }, limit),
    /** A second current subscription of a subscriber to a channel causes a duplicate key. */
    save: (docs: SubscriptionDoc[], session: ClientSession) => putAll(subscriptions, docs, session),
  };
}
