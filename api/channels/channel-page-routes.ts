import { notificationsOf } from "../../actors/channels/view.ts";
import { subscriptionView } from "../../actors/monetization/subscription/view.ts";
import { restrictionView } from "../chat/restriction-view.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { balanceView } from "../points/balance-view.ts";
import { betView } from "../points/bet-view.ts";
import { createChannelPage } from "./channel-page.ts";

/** A channel's page: what everybody sees of it first, and the caller's own standing there. */
export function channelPageRoutes({ bind }: Operations, deps: RouteDeps): void {
  const { channels, follows, blocking, channelRoles, chatBans, subscriptions, directory } = deps;
  const { points, predictions, clock } = deps;
  const channelPage = createChannelPage(deps);

  bind("getChannel", ({ user }) => channelPage(user));

  bind("getMyStanding", async ({ caller, user }) => {
    const { userId } = caller;
    const stream = await channels.requireOf(user._id);

    async function openBet() {
      const prediction = await predictions.openOf(stream._id);
      const bet = prediction && (await predictions.betOf(prediction._id, userId));
      return bet ? betView(bet, bet.payout) : null;
    }
    async function subscription() {
      const [current, subscriber] = await Promise.all([
        subscriptions.current(userId, user._id),
        directory.requireKnown(userId),
      ]);
      if (!current) return null;
      const { giftedBy } = current;
      const giver = giftedBy !== null && (await directory.usersByIds([giftedBy])).get(giftedBy);
      return subscriptionView(current, subscriber, user, giver || null);
    }

    const [follow, isBlocking, role, ban, subscribed, balance, waiting, bet] = await Promise.all([
      follows.find(userId, user._id),
      blocking.isBlocking(userId, user._id),
      channelRoles.roleOfCaller(stream, caller),
      chatBans.banOf(stream._id, userId),
      subscription(),
      points.balance(userId, user._id),
      points.claimable(userId, [user._id]),
      openBet(),
    ]);
    return {
      channel_user_id: user._id,
      stream_id: stream._id,
      follow: follow && {
        created_at: follow.createdAt.toISOString(),
        notifications: notificationsOf(follow),
      },
      is_blocking: isBlocking,
      role,
      restriction: restrictionView(ban, new Date(clock.now())),
      subscription: subscribed,
      points: balanceView(user._id, balance, waiting.get(user._id)),
      bet,
    };
  });
}
