import type { Actors } from "../../../../actors/actors.ts";
import { createBilling } from "../../../../actors/monetization/payments/billing.ts";
import { createTips } from "../../../../actors/monetization/payments/tips.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import { usersIn } from "../../../../store/mongo/accounts/users.ts";
import { channelRolesIn } from "../../../../store/mongo/channels/channel-roles.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../../../store/mongo/driver/connect.ts";
import { checkoutsIn } from "../../../../store/mongo/monetization/checkouts.ts";
import { type TipDoc, tipsIn } from "../../../../store/mongo/monetization/tips.ts";

const CURRENCY = "USD";
const TIER_CENTS = { 1: 499, 2: 999, 3: 2_499 };

type Deps = { mongo: Mongo; clock: Clock; log: Log; actors: Pick<Actors, "subscriptions" | "outbox"> };

export type Paying = ReturnType<typeof payingOf>;

/** Tips and the payment platform's reports, at one process. */
export function payingOf({ mongo, clock, log, actors: { subscriptions, outbox } }: Deps) {
  const usersByIds = async (ids: string[]) => {
    const found = await usersIn(mongo.db).findManyPublic(ids);
    return new Map(found.map((user) => [user._id, user]));
  };
  const stores = {
    streams: streamsIn(mongo.db),
    grantedRoles: channelRolesIn(mongo.db),
    chatBans: chatBansIn(mongo.db),
  };
  const tips = createTips({ mongo, clock, outbox, ...stores, directory: { usersByIds } });
  const prices = { currency: CURRENCY, tierCents: TIER_CENTS };
  const paymentSettings = { platform: null, prices, returnBases: () => [] };
  const { hooks, report } = createBilling({
    mongo,
    clock,
    log,
    subscriptions,
    tips,
    paymentSettings,
    onAlert: () => undefined,
  });
  return {
    sweep: hooks.sweep,

    /** Starts a tip as a checkout does. */
    beginTip: (id: string, people: Pick<TipDoc, "fromUserId" | "toUserId">, amountCents: number) =>
      tipsIn(mongo.db).begin({
        _id: id,
        ...people,
        isAnonymous: false,
        amountCents,
        currency: CURRENCY,
        message: null,
        status: "pending",
        isHidden: false,
        platformId: null,
        createdAt: new Date(clock.now()),
        paidAt: null,
        refundedAt: null,
        removeAt: null,
      }),

    beginSubscription: (
      id: string,
      subscriptionId: string,
      people: { subscriberId: string; channelUserId: string },
    ) =>
      checkoutsIn(mongo.db).begin({
        _id: id,
        order: { kind: "subscription", subscriptionId, tier: 1, subscriberId: people.subscriberId },
        payerId: people.subscriberId,
        channelUserId: people.channelUserId,
        amountCents: TIER_CENTS[1],
        currency: CURRENCY,
        session: null,
        paidAt: null,
        createdAt: new Date(clock.now()),
        removeAt: null,
      }),

    /** The platform's report; it may be sent repeatedly. */
    tipPaid: (id: string, amountCents: number) =>
      sendReport("tip.completed", id, {
        tip_id: id,
        platform_id: `of ${id}`,
        amount_cents: amountCents,
        currency: CURRENCY,
      }),
    tipRefunded: (id: string) => sendReport("tip.refunded", id, { tip_id: id }),
    checkoutPaid: (id: string) =>
      sendReport("checkout.completed", id, {
        checkout_id: id,
        platform_id: `of ${id}`,
        amount_cents: TIER_CENTS[1],
        currency: CURRENCY,
      }),
    /** It waits if the checkout wasn't reported yet. */
    paymentFailed: (checkoutId: string, subscriptionId: string) =>
      sendReport("subscription.payment_failed", checkoutId, {
        checkout_id: checkoutId,
        subscription_id: subscriptionId,
        platform_id: `of ${checkoutId}`,
      }),

    /** Renews the first tier; the report may come long after it happened. */
    renewed: (checkoutId: string, subscriptionId: string, happenedAt = clock.now()) =>
      sendReport(
        "subscription.renewed",
        `${checkoutId} ${happenedAt}`,
        {
          checkout_id: checkoutId,
          subscription_id: subscriptionId,
          platform_id: `of ${checkoutId}`,
          amount_cents: TIER_CENTS[1],
          currency: CURRENCY,
        },
        happenedAt,
      ),

    /** The receiver refunds it. */
    refundTip: tips.refund,
  };

  function sendReport(
    type: string,
    about: string,
    data: Record<string, unknown>,
    happenedAt = clock.now(),
  ): Promise<void> {
    const id = `${type} ${about}`;
    return report(id, { id, type, created_at: new Date(happenedAt).toISOString(), data });
  }
}
