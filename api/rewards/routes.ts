import type { Channels } from "../../actors/channels/channels.ts";
import { redemptionView, rewardView } from "../../actors/redemption/view.ts";
import type { Rewards } from "../../actors/reward/rewards.ts";
import { changedOffer, newOffer } from "../../actors/reward/view.ts";
import type { RewardDoc } from "../../store/mongo/rewards.ts";
import type { Operations } from "../http/bind.ts";
import { pageOf, paginated } from "../http/pagination.ts";

export type RewardRouteDeps = { channels: Pick<Channels, "requireOf">; rewards: Rewards };

export function rewardRoutes({ bind }: Operations, { channels, rewards }: RewardRouteDeps): void {
  bind("listRewards", async ({ params, query }) => {
    const { userId } = await channels.requireOf(params.user_id);
    const page = pageOf(query);
    const { items, total } = await rewards.page(userId, page.skip, page.limit);
    return paginated(page, { items: items.map(view), total });
  });

  bind("createReward", async ({ caller, body, idempotencyKey }) => {
    const stream = await channels.requireOf(caller.userId);
    return view(
      await rewards.create({ stream, offer: newOffer(body), by: caller.userId, key: idempotencyKey }),
    );
  });

  bind("updateReward", async ({ caller, reward, body }) => {
    return view(await rewards.change(reward._id, changedOffer(body), caller.userId));
  });

  bind("deleteReward", async ({ caller, reward }) => {
    await rewards.delete(reward._id, caller.userId);
  });

  bind("redeemReward", async ({ caller, params, body, idempotencyKey }) => {
    const { redemption, redeemer } = await rewards.redeem({
      rewardId: params.reward_id,
      userId: caller.userId,
      userInput: body.user_input ?? null,
      key: idempotencyKey,
    });
    return redemptionView(redemption, redeemer);
  });
}

const view = (reward: RewardDoc) => rewardView(reward.channelUserId, reward);
