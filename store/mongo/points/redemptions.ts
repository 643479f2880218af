import type { ClientSession, Db, Filter } from "mongodb";
import { byIds, inOneReply, loadingOne } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import type { RewardDoc } from "./rewards.ts";

export const REDEMPTION_STATUSES = ["pending", "fulfilled", "refunded"] as const;
type RedemptionStatus = (typeof REDEMPTION_STATUSES)[number];

/** The reward as it was at the time of the redemption. */
export type BoughtReward = Omit<RewardDoc, "titleKey" | "channelUserId" | "streamId">;

/** One redemption; its price is `reward.cost`. */
export type RedemptionDoc = {
  _id: string;
  rewardId: string;
  channelUserId: string;
  streamId: string;
  redeemerId: string;
  reward: BoughtReward;
  userInput: string | null;
  status: RedemptionStatus;
  createdAt: Date;
  /** When it was fulfilled or refunded; null while it is pending. */
  endedAt: Date | null;
  /** Who did that; null for time. */
  endedBy: string | null;
};

type RedemptionEnd = Pick<RedemptionDoc, "_id" | "redeemerId" | "endedAt" | "endedBy"> & {
  status: "fulfilled" | "refunded";
};

const IN_ORDER = { channelUserId: 1, status: 1, _id: -1 } as const;
const OF_REWARD = { rewardId: 1, status: 1, _id: 1 } as const;
const OF_REDEEMER = { redeemerId: 1, createdAt: -1, rewardId: 1, _id: -1 } as const;
/** Covers the query of channel activity. */
export const REDEMPTIONS_BY_TIME = {
  channelUserId: 1,
  createdAt: 1,
  status: 1,
  "reward.title": 1,
} as const;

export const REDEMPTIONS_NEWEST_FIRST = { channelUserId: 1, createdAt: -1, _id: -1 } as const;

export const redemptionsCollection = defineCollection<RedemptionDoc>("redemptions", {
  personal: {
    actor: "redemption",
    erase: {
      redeemerId: { does: "anonymise", sets: { userInput: null } },
      channelUserId: "anonymise",
      endedBy: "anonymise",
    },
    exports: [
      {
        by: "redeemerId",
        shows: [
          "channelUserId",
          "reward.title",
          "reward.cost",
          "userInput",
          "status",
          "createdAt",
          "endedAt",
        ],
      },
    ],
  },

  indexes: [
    { key: IN_ORDER }, // page
    { key: OF_REWARD }, // page of a reward, pendingOf
    { key: OF_REDEEMER }, // pageOfUser; countSince reads nothing else
    { key: REDEMPTIONS_BY_TIME },
    { key: REDEMPTIONS_NEWEST_FIRST }, // the activity feed
    { key: { createdAt: 1, _id: 1 }, partialFilterExpression: { status: "pending" } }, // pendingSince
  ],
  retired: [
    { createdAt: 1 },
    { redeemerId: 1, createdAt: -1 },
    { redeemerId: 1, createdAt: -1, rewardId: 1 },
  ],
});

export type RedemptionFilter = { channelUserId: string; status?: RedemptionStatus; rewardId?: string };

export function redemptionsIn(db: Db) {
  const redemptions = redemptionsCollection.in(db);
  return {
    /** Reads in one turn of the event loop are batched. */
    find: loadingOne(redemptions),
    findMany: (ids: string[]) => byIds(redemptions, ids),

    /** Newest first. */
    page({ channelUserId, status, rewardId }: RedemptionFilter, range: Range) {
      const filter: Filter<RedemptionDoc> = {
        channelUserId,
        // Naming all statuses lets the index give the order.
        status: status ?? { $in: [...REDEMPTION_STATUSES] },
        ...(rewardId === undefined ? {} : { rewardId }),
      };
      const hint = rewardId === undefined ? IN_ORDER : OF_REWARD;
      return pageIn(redemptions, filter, { _id: -1 }, { ...range, hint });
    },
    /** Newest first; `channelUserId` null: on all channels. */
    pageOfUser: (redeemerId: string, channelUserId: string | null, range: Range) =>
      pageIn(
        redemptions,
        { redeemerId, ...(channelUserId === null ? {} : { channelUserId }) },
        { createdAt: -1, rewardId: 1, _id: -1 },
        { ...range, hint: OF_REDEEMER },
      ),

    /** How often these users have redeemed the reward since then, by user; users who haven't are left out. */
    async countSince(rewardId: string, redeemerIds: string[], since: Date): Promise<Map<string, number>> {
      const counted = await redemptions
        .aggregate<{ _id: string; count: number }>([
          { $match: { redeemerId: { $in: redeemerIds }, createdAt: { $gte: since }, rewardId } },
          { $group: { _id: "$redeemerId", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(counted.map(({ _id, count }) => [_id, count]));
    },

    /** At most `limit` pending redemptions, by _id, after `cursor` ("" = from the first). */
    pendingOf: (rewardId: string, cursor: string, limit: number) =>
      redemptions
        .find({ rewardId, status: "pending", _id: { $gt: cursor } }, inOneReply(limit))
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** The oldest that have been pending since then or longer, after the given one; null = from the first. */
    pendingSince: (then: Date, after: Pick<RedemptionDoc, "_id" | "createdAt"> | null, limit: number) =>
      redemptions
        .find(
          {
            status: "pending",
            createdAt: { $lte: then, ...(after ? { $gte: after.createdAt } : {}) },
            ...(after ? { $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after._id } }] } : {}),
          },
          inOneReply(limit),
        )
        .sort({ createdAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),

    redact: async (id: string, session?: ClientSession) =>
      void (await redemptions.updateOne(
        { _id: id },
        { $set: { userInput: null } },
        session ? { session } : {},
      )),

    insert: async (docs: RedemptionDoc[], session: ClientSession) =>
      void (await redemptions.insertMany(docs, { session })),

    /** Ends pending redemptions; false when one isn't pending any more: then the transaction must be aborted. */
    async end(ends: RedemptionEnd[], session: ClientSession): Promise<boolean> {
      if (ends.length === 0) return true;
      const each = ends.map(({ _id, redeemerId, ...end }) => ({
        updateOne: { filter: { _id, redeemerId, status: "pending" as const }, update: { $set: end } },
      }));
      const { modifiedCount } = await redemptions.bulkWrite(each, { session, ordered: false });
      return modifiedCount === ends.length;
    },
    /** The same, for many with the same end. */
    async endAll(
      ids: string[],
      end: Omit<RedemptionEnd, "_id" | "redeemerId">,
      session: ClientSession,
    ): Promise<boolean> {
      const pending = { _id: { $in: ids }, status: "pending" as const };
      const { modifiedCount } = await redemptions.updateMany(pending, { $set: end }, { session });
      return modifiedCount === ids.length;
    },
  };
}
