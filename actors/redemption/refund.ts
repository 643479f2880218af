import type { RedemptionDoc } from "../../store/mongo/redemptions.ts";
import type { Posting } from "../points/post.ts";

/** What a redemption takes. */
export const priceOf = (doc: RedemptionDoc): Posting => ({
  ...movementOf(doc),
  key: `redemption:${doc.rewardId}:${doc._id}`,
  delta: -doc.reward.cost,
  reason: "redemption",
  at: doc.createdAt,
});

/** Exactly what was paid; by its key at most once, whoever gives it back. */
export const refundOf = (doc: RedemptionDoc, at: Date): Posting => ({
  ...movementOf(doc),
  key: `refund:${doc.rewardId}:${doc._id}`,
  delta: doc.reward.cost,
  reason: "refund",
  at,
});

/** When it was counted: it isn't any more once it is given back. */
export const soldAt = ({ channelUserId, createdAt: at }: RedemptionDoc) => ({ channelUserId, at });

const movementOf = ({ _id: ref, redeemerId: userId, channelUserId }: RedemptionDoc) => ({
  userId,
  channelUserId,
  ref,
});
