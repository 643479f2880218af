import type { ChannelSubscription } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import {
  SUBSCRIPTION_STATUSES,
  type SubscriptionDoc,
  type Tier,
} from "../../../store/mongo/monetization/subscriptions.ts";
import { userSummary } from "../../accounts/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { SubscriptionContext } from "./machine.ts";
import { paidUntil } from "./paid-time.ts";
import { entitledUntil } from "./standing.ts";

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function subscriptionDoc(state: ActorState<SubscriptionContext>): SubscriptionDoc {
  const { id, context } = state;
  const status = publicStatus(state, SUBSCRIPTION_STATUSES);
  const { standing, subscriberId, channelUserId } = context;
  return {
    _id: id,
    subscriberId,
    channelUserId,
    tier: tierFrom(standing.tier),
    nextTier: standing.next && tierFrom(standing.next.tier),
    status,
    isCurrent: status !== "expired",
    isGift: standing.priceCents === null,
    giftedBy: standing.giftedBy,
    priceCents: standing.priceCents,
    startedAt: new Date(standing.startedAt),
    renewsAt: new Date(paidUntil(standing)),
    entitledUntil: new Date(entitledUntil(standing)),
    cancelledAt: standing.cancelledAt === null ? null : new Date(standing.cancelledAt),
  };
}

export function tierFrom(value: number): Tier {
  if (value === 1 || value === 2 || value === 3) return value;
  throw new Error(`there is no tier ${value}`);
}

export const subscriptionView = (
  doc: SubscriptionDoc,
  subscriber: UserWithoutSecrets,
  channel: UserWithoutSecrets | null,
  giver: UserWithoutSecrets | null,
): ChannelSubscription => ({
  id: doc._id,
  subscriber: userSummary(subscriber),
  channel_user_id: doc.channelUserId,
  ...(channel ? { channel: userSummary(channel) } : {}),
  tier: doc.tier,
  ...(doc.nextTier === null ? {} : { next_tier: doc.nextTier }),
  status: doc.status,
  is_gift: doc.isGift,
  ...(doc.isGift && giver ? { gifted_by: userSummary(giver) } : {}),
  started_at: doc.startedAt.toISOString(),
  renews_at: doc.renewsAt.toISOString(),
  cancelled_at: doc.cancelledAt?.toISOString() ?? null,
});
