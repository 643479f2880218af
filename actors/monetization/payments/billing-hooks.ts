import Type from "typebox";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import {
  type CheckoutDoc,
  checkoutsIn,
  type SubscribedPair,
} from "../../../store/mongo/monetization/checkouts.ts";
import { platformCallDocs, platformCallsIn } from "../../../store/mongo/monetization/platform-calls.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import { type HookHandlers, hookHandler, type Outcome, type Report } from "../../hooks/inbox.ts";
import type { SubscriptionReport, Subscriptions } from "../subscription/subscriptions.ts";
import { OUR_ID } from "./platform.ts";
import type { Tips } from "./tips.ts";

const platform_id = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));
const payment = { amount_cents: Type.Integer({ minimum: 0 }), currency: Type.String({ maxLength: 3 }) };
const subscribed = { subscription_id: OUR_ID, checkout_id: Type.Optional(OUR_ID), platform_id };
const tipped = { tip_id: OUR_ID, platform_id };

/** Payloads of hooks may contain fields that aren't known here. */
const openObject = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

/** How many subscriptions one payment is tried on; each refusal but the last is a race with another payment. */
const MAX_SEATS = 5;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  subscriptions: Subscriptions;
  tips: Pick<Tips, "paid" | "paidBy" | "refunded">;
  currency: string;
};

/** Handlers for a payment platform's reports. Reported amounts are only compared with our own records, never stored. */
export function billingHooks({ mongo, clock, subscriptions, tips, currency }: Deps): HookHandlers {
  const checkouts = checkoutsIn(mongo.db);
  const stored = subscriptionsIn(mongo.db);
  const calls = platformCallsIn(mongo.db);

  async function checkoutPaid({ createdAt, data }: Report<PaidCheckout>): Promise<Outcome> {
    const checkout = await checkouts.find(data.checkout_id);
    if (!checkout || checkout.order.kind === "tip") return { setAside: "there is no such checkout" };
    if (data.amount_cents !== checkout.amountCents || data.currency !== checkout.currency)
      return { setAside: "the amount isn't that of the checkout" };
    const subscriptionId = await book(checkout, createdAt, data.platform_id ?? null);
    await checkouts.paid(checkout._id, createdAt);
    return { brings: [checkout._id, subscriptionId] };
  }

  /**
   * Books a payment and returns the subscription that took it. If the intended subscription has ended, that is a new one; if
   * another one is current, it is that.
   */
  async function book(checkout: CheckoutDoc, paidAt: Date, platformId: string | null): Promise<string> {
    const { order, channelUserId, payerId } = checkout;
    if (order.kind === "tip") throw new Error("a tip is no subscription");
    const pair = { subscriberId: order.subscriberId, channelUserId };
    const isGift = order.kind === "gift";
    const paid = {
      id: checkout._id,
      happenedAt: paidAt.getTime(),
      isGift,
      giftedBy: isGift ? payerId : null,
      tier: order.tier,
      priceCents: checkout.amountCents,
      platformId: isGift ? null : platformId,
    };
    for (let id = order.subscriptionId, tries = 1; ; tries++) {
      try {
        await subscriptions.paid(id, pair, paid);
        return id;
      } catch (err) {
        const next = await alternativeFor(id, pair, err);
        if (next === null || next === id || tries === MAX_SEATS) throw err;
        await checkouts.goesTo(checkout._id, next);
        id = next;
      }
    }
  }

  /** Finds another subscription for a payment that this one refused; null when there is none. */
  async function alternativeFor(id: string, pair: SubscribedPair, refusal: unknown): Promise<string | null> {
    if (isRefusal(refusal, "invalid_state")) return checkouts.reseat(pair, id, newId());
    if (!isRefusal(refusal, "already_subscribed")) throw refusal;
    return (await stored.current(pair.subscriberId, pair.channelUserId))?._id ?? null;
  }

  /**
   * The subscription that a report is about. The checkout takes precedence, since its payment may have gone to another
   * subscription; null when it isn't paid yet.
   */
  async function subscriptionOf(data: Subscribed): Promise<string | null> {
    if (data.checkout_id === undefined) return data.subscription_id;
    const checkout = await checkouts.find(data.checkout_id);
    if (!checkout || checkout.order.kind === "tip" || checkout.paidAt === null) return null;
    return checkout.order.subscriptionId;
  }

  async function forward(
    { id, createdAt, data }: Report<Subscribed>,
    reportOf: (common: Common) => SubscriptionReport,
  ): Promise<Outcome> {
    const to = await subscriptionOf(data);
    if (to === null) return "waiting";
    const platformId = data.platform_id ?? null;
    try {
      const isBooked = await subscriptions.report(
        to,
        reportOf({ id, happenedAt: createdAt.getTime(), platformId }),
      );
      if (isBooked) return "applied";
      const isOver = (await stored.find(to))?.isCurrent === false;
      if (isOver && platformId !== null) await endBilling(id, to, platformId);
      return { setAside: "this payment isn't owed" };
    } catch (err) {
      if (isRefusal(err, "not_found")) return "waiting";
      if (!isRefusal(err, "already_subscribed")) throw err;
      if (platformId !== null) await endBilling(id, to, platformId);
      return { setAside: "another subscription is current" };
    }
  }

  /** Has the platform stop billing for something that nobody gets. */
  async function endBilling(reportId: string, id: string, platformId: string): Promise<void> {
    const [call] = platformCallDocs(
      `subscription:${id}`,
      [{ kind: "end", platformId }],
      new Date(clock.now()),
    );
    if (call) await calls.insertOnce({ ...call, _id: `${reportId}:end` });
  }

  const subscriptionHook = (type: "paymentFailed" | "stopped" | "resumed" | "ended") =>
    hookHandler({
      data: SUBSCRIBED,
      subject: waitsFor,
      apply: (report) => forward(report, (common) => ({ type, ...common })),
    });

  return {
    "checkout.completed": hookHandler({ data: PAID_CHECKOUT, subject: () => null, apply: checkoutPaid }),
    "checkout.failed": hookHandler({
      data: openObject({ checkout_id: OUR_ID }),
      subject: () => null,
      async apply({ createdAt, data }) {
        await checkouts.failed(data.checkout_id, createdAt);
        return "applied";
      },
    }),
    "subscription.renewed": hookHandler({
      data: RENEWED,
      subject: waitsFor,
      apply: ({ data: { amount_cents, ...data }, ...report }) => {
        // An amount in another currency is never the amount owed.
        const amountCents = data.currency === currency ? amount_cents : 0;
        return forward({ ...report, data }, (common) => ({ type: "renewed", ...common, amountCents }));
      },
    }),
    "subscription.payment_failed": subscriptionHook("paymentFailed"),
    "subscription.cancelled": subscriptionHook("stopped"),
    "subscription.resumed": subscriptionHook("resumed"),
    "subscription.expired": subscriptionHook("ended"),
    "tip.completed": hookHandler({
      data: PAID_TIP,
      subject: () => null,
      apply: ({ createdAt, data }) =>
        tips.paid(data.tip_id, { ...data, paidAt: createdAt, platformId: data.platform_id ?? null }),
    }),
    "tip.refunded": hookHandler({
      data: openObject(tipped),
      subject: () => null,
      apply: ({ createdAt, data }) => tips.refunded(data.tip_id, createdAt),
    }),
    "payment.reversed": hookHandler({
      data: openObject({ platform_id }),
      subject: () => null,
      async apply({ createdAt, data }) {
        const tipId = data.platform_id === undefined ? null : await tips.paidBy(data.platform_id);
        if (tipId !== null) return tips.refunded(tipId, createdAt);
        return { setAside: "a payment that is no tip was given or taken back" };
      },
    }),
  };
}

const PAID_CHECKOUT = openObject({ checkout_id: OUR_ID, platform_id, ...payment });
const SUBSCRIBED = openObject(subscribed);
const RENEWED = openObject({ ...subscribed, ...payment });
const PAID_TIP = openObject({ ...tipped, ...payment });

type PaidCheckout = Type.Static<typeof PAID_CHECKOUT>;
type Subscribed = Type.Static<typeof SUBSCRIBED>;
const waitsFor = ({ checkout_id, subscription_id }: Subscribed) => checkout_id ?? subscription_id;

type Common = Pick<SubscriptionReport, "id" | "happenedAt" | "platformId">;

const isRefusal = (err: unknown, code: ServiceError["code"]): boolean =>
  err instanceof ServiceError && err.code === code;
