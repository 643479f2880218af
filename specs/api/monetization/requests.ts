import { newId } from "../../../base/ids.ts";
import { CALLERS } from "../authorization/expectations.ts";
import type { Expected, ResourceRequests } from "../authorization/resource-requests.ts";

/** It belongs to the user, who pays for it or got it as a gift. */
const NOT_THEIRS: Expected["refundTip"] = {
  otherUser: "forbidden",
  owner: "forbidden",
  moderator: "forbidden",
  otherChannelsModerator: "forbidden",
  staff: "forbidden",
};

export const monetizationRequests: ResourceRequests = {
  requests({ world, people, unknownReport }) {
    const { owner, user, target } = people;

    /** The user's active subscription to the owner's channel, at tier 2. */
    async function subscription(): Promise<string> {
      const people = { subscriberId: user.id, channelUserId: owner.id };
      const id = (await world.core.subscriptions.current(user.id, owner.id))?._id ?? newId();
      const paid = { id: "paid", happenedAt: world.clock.now(), isGift: false, giftedBy: null };
      await world.core.subscriptions.paid(id, people, {
        ...paid,
        tier: 2,
        priceCents: 999,
        platformId: null,
      });
      await world.core.subscriptions.resume(id, { by: user.id }).catch(() => "it is active");
      return id;
    }

    /** A paid tip to the user. */
    async function tip(): Promise<string> {
      const body = { to_user_id: user.id, amount_cents: 100, currency: "USD" };
      await owner.api.ok("createTipCheckout", { body });
      const [made] = (await user.api.ok("listMyTips")).items;
      if (!made) throw new Error("it was begun");
      const paid = {
        amount_cents: 100,
        currency: "USD",
        paidAt: new Date(world.clock.now()),
        platformId: null,
      };
      await world.core.tips.paid(made.id, paid);
      return made.id;
    }

    /** The user's, who is about to tip. */
    async function checkout(): Promise<string> {
      const body = { to_user_id: target.id, amount_cents: 100, currency: "USD" };
      return (await user.api.ok("createTipCheckout", { body })).checkout_id;
    }

    return {
      values: { subscription_id: subscription, tip_id: tip, checkout_id: checkout },
      prepared: {
        createSubscriptionCheckout: () => ({ body: { channel_user_id: target.id, tier: 1 } }),
        createTipCheckout: () => ({ body: { to_user_id: target.id, amount_cents: 100, currency: "USD" } }),
        resumeSubscription: async () => {
          const subscription_id = await subscription();
          await world.core.subscriptions.cancel(subscription_id, { by: user.id });
          return { params: { subscription_id } };
        },
        billingHook: () => unknownReport("billing"),
        stripeHook: () => ({ body: {} }),
      },
    };
  },

  expected: {
    cancelSubscription: NOT_THEIRS,
    resumeSubscription: NOT_THEIRS,
    changeSubscriptionTier: NOT_THEIRS,
    getSubscriptionHistory: {
      otherUser: "forbidden",
      moderator: "forbidden",
      otherChannelsModerator: "forbidden",
    },
    refundTip: NOT_THEIRS,
    getCheckout: Object.fromEntries(
      CALLERS.filter((caller) => !["user", "banned"].includes(caller)).map((caller) => [caller, "not_found"]),
    ),
    stripeHook: Object.fromEntries(CALLERS.map((caller) => [caller, "signature_invalid"])),
  },

  shown: {
    createTipCheckout: "in a room",
  },

  fields: {
    "createSubscriptionCheckout body.channel_user_id": {
      request: ({ userId }) => ({
        body: { channel_user_id: userId, tier: 1 },
      }),
    },
    "createSubscriptionCheckout body.gift_to_user_id": {
      request: ({ userId }, other) => ({
        body: { channel_user_id: other.owner.id, tier: 1, gift_to_user_id: userId },
      }),
    },
    "createTipCheckout body.to_user_id": {
      request: ({ userId }) => ({
        body: { to_user_id: userId, amount_cents: 100, currency: "USD" },
      }),
    },
  },
};
