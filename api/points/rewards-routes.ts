import { redemptionView, rewardView } from "../../actors/points/redemption/view.ts";
import type { Availability } from "../../actors/points/reward/availability.ts";
import { changedOffer, newOffer } from "../../actors/points/reward/view.ts";
import type { ChannelReward } from "../../contract/wire.ts";
import type { RewardDoc } from "../../store/mongo/points/rewards.ts";
import type { Operations } from "../http/bind.ts";
import { mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function rewardRoutes(
  { bind, bindPage }: Operations,
  { channels, rewards, directory, viewerTexts }: RouteDeps,
): void {
  bindPage("listRewards", ({ user }, range) =>
    mapPageBatch(rewards.page(user._id, range), async (docs) => {
      const available = await rewards.availability(docs);
      return docs.map((doc, place) => listedView(doc, available[place]));
    }),
  );

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

  /** Only the input that a reward asks for is kept, and shown. Throws `not_found`, and what `requireActText` throws. */
  async function requireInput(rewardId: string, userId: string, written: string): Promise<void> {
    const { requiresInput, streamId: _id, channelUserId } = await rewards.require(rewardId);
    if (!requiresInput) return;
    await viewerTexts.requireActText({ _id, userId: channelUserId }, await directory.requireUser(userId), {
      written,
      path: "/body/user_input",
      isPrivate: false,
    });
  }

  bind("redeemReward", async ({ caller, params, body, idempotencyKey }) => {
    const { user_input: written } = body;
    if (written && !(await rewards.isRepeat(caller.userId, idempotencyKey)))
      await requireInput(params.reward_id, caller.userId, written);
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

const listedView = (reward: RewardDoc, available: Availability | undefined): ChannelReward => ({
  ...view(reward),
  cooldown_ends_at: available?.cooldownEndsAt?.toISOString() ?? null,
  left_in_broadcast: available?.left ?? null,
});
