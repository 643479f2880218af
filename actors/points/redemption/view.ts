import type { ChannelReward, Redemption } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { NotificationFact } from "../../../store/mongo/notifications/notification-facts.ts";
import type { BoughtReward, RedemptionDoc } from "../../../store/mongo/points/redemptions.ts";
import { summaryOf } from "../../accounts/public.ts";

export const redemptionView = (
  doc: RedemptionDoc,
  redeemer: UserWithoutSecrets | null | undefined,
): Redemption => ({
  id: doc._id,
  reward: rewardView(doc.channelUserId, doc.reward),
  redeemer: summaryOf(doc.redeemerId, redeemer),
  user_input: doc.userInput,
  status: doc.status,
  created_at: doc.createdAt.toISOString(),
});

/** The notification of the decision for the redeemer. Redemptions that skipped the queue are never decided. */
export const decisionOf = (doc: RedemptionDoc, at: Date): NotificationFact => ({
  kind: "redemption",
  ref: doc._id,
  userId: doc.redeemerId,
  at,
  data: {
    redemptionId: doc._id,
    rewardId: doc.rewardId,
    channelUserId: doc.channelUserId,
    status: doc.status,
  },
});

/** As the room sees it: without the redeemer's input, which hasn't passed the chat's moderation modes. */
export const roomRedemptionView = (
  doc: RedemptionDoc,
  redeemer: UserWithoutSecrets | null | undefined,
): Redemption => redemptionView({ ...doc, userInput: null }, redeemer);

/** For current rewards, and for the copies in redemptions. It is here because rewards import redemptions and not the reverse. */
export function rewardView(channelUserId: string, reward: BoughtReward): ChannelReward {
  return {
    id: reward._id,
    channel_user_id: channelUserId,
    title: reward.title,
    description: reward.description,
    cost: reward.cost,
    is_enabled: reward.isEnabled,
    is_paused: reward.isPaused,
    requires_input: reward.requiresInput,
    skip_queue: reward.skipQueue,
    cooldown_seconds: reward.cooldownSeconds,
    max_per_stream: reward.maxPerStream,
    max_per_user_per_stream: reward.maxPerUserPerStream,
    created_at: reward.createdAt.toISOString(),
  };
}
