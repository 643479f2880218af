import { newId } from "../../../base/ids.ts";
import { once } from "../authorization/once.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

/** Requests about rewards and their redemptions. */
export const rewardRequests: ResourceRequests = {
  forEach: ["redeemReward"],

  requests({ people, watch }) {
    const { owner, user } = people;
    let rewards = 0;

    async function newReward(): Promise<string> {
      const body = { title: `Reward ${++rewards}`, cost: 1 };
      return (await owner.api.ok("createReward", { body })).id;
    }
    const redeemable = once(newReward);

    async function newRedemption(): Promise<string> {
      const params = { reward_id: await redeemable() };
      return (await user.api.ok("redeemReward", { params, body: {} })).id;
    }

    return {
      values: { reward_id: newReward, redemption_id: newRedemption },
      prepared: {
        redeemReward: async () => {
          // By REST nobody earns points in their own channel.
          await watch(owner.id);
          return { params: { reward_id: await redeemable() }, body: {} };
        },
        decideRedemptions: async () => ({ body: { ids: [await newRedemption()], action: "fulfil" } }),
      },
      ofCaller: { createReward: (caller) => ({ body: { title: `Of ${caller}`, cost: 1 } }) },
    };
  },

  expected: {
    // For the redeemer, the channel's owner and staff.
    getRedemptionHistory: {
      otherUser: "forbidden",
      moderator: "forbidden",
      otherChannelsModerator: "forbidden",
    },
  },

  shown: {
    createReward: "in the caller's own channel or account",
    redeemReward: "in a room",
  },

  // The answer has a refusal for each redemption.
  visibility: { decideRedemptions: { banned: "there", deleted: "there" } },

  fields: {
    "listRedemptions query.channel_user_id": {
      request: ({ userId }) => ({ query: { channel_user_id: userId } }),
    },
    "listRedemptions query.reward_id": "a filter of what the caller moderates: any id is taken",
    "listMyRedemptions query.channel_user_id": "a filter of the caller's own: any id is taken",
    "decideRedemptions body.ids": {
      request: async ({ channel }, _other, { given }) => {
        const body = (id: string) => ({ body: { ids: [id], action: "fulfil" } });
        if (!channel) return body(newId());
        const made = await channel.owner.api.ok("createReward", { body: { title: "One", cost: 1 } });
        const fan = await given.followerOf(channel);
        return body((await fan.api.ok("redeemReward", { params: { reward_id: made.id }, body: {} })).id);
      },
    },
  },
};
