import { newId } from "../../../base/ids.ts";
import type { CallOptions } from "../../support/api.ts";
import type { Channel, Given } from "../../support/given-channels.ts";
import type { World } from "../../support/world.ts";

/** What a field may name of a channel or its owner; of `channel`, or of nobody when that is null. */
type Named = { channel: Channel | null; userId: string; username: string; streamId: string };

export const namedOf = (channel: Channel): Named => ({
  channel,
  userId: channel.owner.id,
  username: channel.owner.username,
  streamId: channel.stream.id,
});

/** Ids and a name that never were. */
export const unknown = (): Named => ({
  channel: null,
  userId: newId(),
  username: `u_${newId().replaceAll("-", "").slice(0, 16)}`,
  streamId: newId(),
});

type Prepare = (named: Named, other: Channel) => Promise<CallOptions> | CallOptions;

/** The request by which a field names somebody, and everything else in it `other`, a live channel. */
export function fieldRequests(world: World, given: Given): Record<string, Prepare> {
  async function raid({ channel }: Named, other: Channel): Promise<void> {
    if (!channel) return;
    const [source, target] = await Promise.all(
      [channel, other].map(({ owner }) => world.core.channels.requireOf(owner.id)),
    );
    if (source && target) await world.core.raids.begin({ source, target, message: null, by: source.userId });
  }

  async function redemption({ channel }: Named): Promise<string> {
    if (!channel) return newId();
    const { id: reward_id } = await channel.owner.api.ok("createReward", { body: { title: "One", cost: 1 } });
    const fan = await given.followerOf(channel);
    return (await fan.api.ok("redeemReward", { params: { reward_id }, body: {} })).id;
  }

  return {
    "createChatToken body.stream_id": ({ streamId }) => ({
      body: { site: "fans.example", stream_id: streamId },
    }),
    "listBotMessages query.channel": ({ username }) => ({ query: { channel: username } }),
    "sendBotMessage body.channel": ({ username }) => ({ body: { channel: username, message: "Hello" } }),
    "createClip body.stream_id": ({ streamId }) => ({
      body: { stream_id: streamId, title: "A clip", start_time: 0, end_time: 5 },
    }),
    "hostChannel body.target_user_id": ({ userId }) => ({ body: { target_user_id: userId } }),
    "setAutoHost body.user_ids": ({ userId }, other) => ({ body: { user_ids: [other.owner.id, userId] } }),
    "createSubscriptionCheckout body.channel_user_id": ({ userId }) => ({
      body: { channel_user_id: userId, tier: 1 },
    }),
    "createSubscriptionCheckout body.gift_to_user_id": ({ userId }, other) => ({
      body: { channel_user_id: other.owner.id, tier: 1, gift_to_user_id: userId },
    }),
    "createTipCheckout body.to_user_id": ({ userId }) => ({
      body: { to_user_id: userId, amount_cents: 100, currency: "USD" },
    }),
    "createRaid body.target_user_id": ({ userId }) => ({
      body: { target_user_id: userId, message: "Hello" },
    }),
    "createRaid body.source_user_id": ({ userId }, other) => ({
      body: { target_user_id: other.owner.id, source_user_id: userId },
    }),
    "getCurrentRaid query.source_user_id": async (named, other) => {
      await raid(named, other);
      return { query: { source_user_id: named.userId } };
    },
    "listRedemptions query.channel_user_id": ({ userId }) => ({ query: { channel_user_id: userId } }),
    "decideRedemptions body.ids": async (named) => ({
      body: { ids: [await redemption(named)], action: "fulfil" },
    }),
    "createReport body.target_id": ({ userId }) => ({
      body: { target_type: "user", target_id: userId, reason_code: "spam" },
    }),
    "heartbeat body.stream_id": ({ streamId }) => ({ body: { stream_id: streamId } }),
  };
}
