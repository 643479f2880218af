import type { RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";
import type { Posting } from "../ledger/post.ts";

/** The ledger posting that takes a redemption's price. */
export const pricePosting = (doc: RedemptionDoc): Posting => ({
  ...movementOf(doc),
  key: `redemption:${doc.rewardId}:${doc._id}`,
  delta: -doc.reward.cost,
  reason: "redemption",
  at: doc.createdAt,
});

/** Refunds exactly the price paid. The key makes it happen at most once, also when two refund at the same time. */
export const refundOf = (doc: RedemptionDoc, at: Date): Posting => ({
  ...movementOf(doc),
  key: `refund:${doc.rewardId}:${doc._id}`,
  delta: doc.reward.cost,
  reason: "refund",
  at,
});

/** When the sale was counted in analytics; a refunded sale no longer counts. */
export const saleMarkOf = ({ channelUserId, createdAt: at }: RedemptionDoc) => ({ channelUserId, at });

const movementOf = ({ _id: ref, redeemerId: userId, channelUserId }: RedemptionDoc) => ({
  userId,
  channelUserId,
  ref,
});
