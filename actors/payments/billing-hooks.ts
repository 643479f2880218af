import Type from "typebox";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import { type CheckoutDoc, checkoutsIn } from "../../store/mongo/checkouts.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { platformCallDocs, platformCallsIn } from "../../store/mongo/platform-calls.ts";
import { subscriptionsIn } from "../../store/mongo/subscriptions.ts";
import { type HookHandlers, hookHandler, type Outcome, type Report } from "../hooks/intake.ts";
import type { SubscriptionReport, Subscriptions } from "../subscription/subscriptions.ts";
import { seatOf } from "./seats.ts";
import type { Tips } from "./tips.ts";

const uuid = Type.String({ pattern: "^[0-9a-f-]{36}$" });
const platform_id = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));
const payment = { amount_cents: Type.Integer({ minimum: 0 }), currency: Type.String({ maxLength: 3 }) };
const subscribed = { subscription_id: uuid, checkout_id: Type.Optional(uuid), platform_id };
const tipped = { tip_id: uuid, platform_id };

/** The payload of a hook may hold more than is known here. */
const open = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

/** Subscriptions that one payment is offered to; each refusal but the last is a race with another payment. */
const MAX_SEATS = 5;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  subscriptions: Subscriptions;
  tips: Pick<Tips, "paid" | "paidBy" | "refunded">;
  currency: string;
};

/** What each report of a payment platform does. Amounts are compared with our own records and never taken from it. */
export function billingHooks({ mongo, clock, subscriptions, tips, currency }: Deps): HookHandlers {
  const checkouts = checkoutsIn(mongo.db);
  const stored = subscriptionsIn(mongo.db);
  const calls = platformCallsIn(mongo.db);

  async function checkoutPaid({ createdAt, data }: Report<PaidCheckout>): Promise<Outcome> {
    const checkout = await checkouts.find(data.checkout_id);
    if (!checkout || checkout.order.kind === "tip") return { setAside: "there is no such checkout" };
    if (data.amount_cents !== checkout.amountCents || data.currency !== checkout.currency)
      return { setAside: "the amount isn't the one that was asked for" };
    const subscriptionId = await book(checkout, createdAt, data.platform_id ?? null);
    await checkouts.paid(checkout._id, createdAt);
    return { brings: [checkout._id, subscriptionId] };
  }

  /** A payment for one that was over goes to the next, and beside a current one to that. Returns which it went to. */
  async function book(checkout: CheckoutDoc, paidAt: Date, platformId: string | null): Promise<string> {
    const { order, channelUserId, payerId } = checkout;
    if (order.kind === "tip") throw new Error("a tip is no subscription");
    const people = { subscriberId: order.subscriberId, channelUserId };
    const isGift = order.kind === "gift";
    const paid = {
      id: checkout._id,
      happenedAt: paidAt.getTime(),
      ...{ isGift, giftedBy: isGift ? payerId : null, tier: order.tier, priceCents: checkout.amountCents },
      platformId: isGift ? null : platformId,
    };
    for (let id = order.subscriptionId, tries = 1; ; tries++) {
      try {
        await subscriptions.paid(id, people, paid);
        return id;
      } catch (err) {
        const next = await instead(id, people, err);
        if (next === null || next === id || tries === MAX_SEATS) throw err;
        await checkouts.goesTo(checkout._id, next);
        id = next;
      }
    }
  }

  /** Where a payment goes that this subscription didn't take. */
  async function instead(id: string, people: People, refusal: unknown): Promise<string | null> {
    if (isRefusal(refusal, "invalid_state")) return checkouts.reseat(seatOf(people), id, newId());
    if (!isRefusal(refusal, "already_subscribed")) throw refusal;
    return (await stored.current(people.subscriberId, people.channelUserId))?._id ?? null;
  }

  /** Where the report belongs: its checkout knows best, since a payment may have gone to another subscription. */
  async function subscriptionOf(data: Subscribed): Promise<string | null> {
    if (data.checkout_id === undefined) return data.subscription_id;
    const checkout = await checkouts.find(data.checkout_id);
    if (!checkout || checkout.order.kind === "tip" || checkout.paidAt === null) return null;
    return checkout.order.subscriptionId;
  }

  async function tell(
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
      return isBooked ? "applied" : { setAside: "this payment isn't owed" };
    } catch (err) {
      if (isRefusal(err, "not_found")) return "waiting";
      if (!isRefusal(err, "already_subscribed")) throw err;
      if (platformId !== null) await endBilling(id, to, platformId);
      return { setAside: "another subscription is current" };
    }
  }

  /** Nobody gets anything for what it bills. */
  async function endBilling(reportId: string, id: string, platformId: string): Promise<void> {
    const [call] = platformCallDocs(
      `subscription:${id}`,
      [{ kind: "end", platformId }],
      new Date(clock.now()),
    );
    if (call) await calls.insertOnce({ ...call, _id: `${reportId}:end` });
  }

  const subscriptionHook = (type: "paymentFailed" | "stopped" | "ended") =>
    hookHandler({
      data: SUBSCRIBED,
      subject: waitsFor,
      apply: (report) => tell(report, (common) => ({ type, ...common })),
    });

  return {
    "checkout.completed": hookHandler({ data: PAID_CHECKOUT, subject: () => null, apply: checkoutPaid }),
    "subscription.renewed": hookHandler({
      data: RENEWED,
      subject: waitsFor,
      apply: ({ data: { amount_cents, ...data }, ...report }) => {
        // What isn't in our currency is never what is owed.
        const amountCents = data.currency === currency ? amount_cents : 0;
        return tell({ ...report, data }, (common) => ({ type: "renewed", ...common, amountCents }));
      },
    }),
    "subscription.payment_failed": subscriptionHook("paymentFailed"),
    "subscription.cancelled": subscriptionHook("stopped"),
    "subscription.expired": subscriptionHook("ended"),
    "tip.completed": hookHandler({
      data: PAID_TIP,
      subject: () => null,
      apply: ({ createdAt, data }) =>
        tips.paid(data.tip_id, { ...data, paidAt: createdAt, platformId: data.platform_id ?? null }),
    }),
    "tip.refunded": hookHandler({
      data: open(tipped),
      subject: () => null,
      apply: ({ createdAt, data }) => tips.refunded(data.tip_id, createdAt),
    }),
    "payment.reversed": hookHandler({
      data: open({ platform_id }),
      subject: () => null,
      async apply({ createdAt, data }) {
        const tipId = data.platform_id === undefined ? null : await tips.paidBy(data.platform_id);
        if (tipId !== null) return tips.refunded(tipId, createdAt);
        return { setAside: "a payment that is no tip was given or taken back" };
      },
    }),
  };
}

const PAID_CHECKOUT = open({ checkout_id: uuid, platform_id, ...payment });
const SUBSCRIBED = open(subscribed);
const RENEWED = open({ ...subscribed, ...payment });
const PAID_TIP = open({ ...tipped, ...payment });

type PaidCheckout = Type.Static<typeof PAID_CHECKOUT>;
type Subscribed = Type.Static<typeof SUBSCRIBED>;
const waitsFor = ({ checkout_id, subscription_id }: Subscribed) => checkout_id ?? subscription_id;

type People = Parameters<typeof seatOf>[0];

type Common = Pick<SubscriptionReport, "id" | "happenedAt" | "platformId">;

const isRefusal = (err: unknown, code: ServiceError["code"]): boolean =>
  err instanceof ServiceError && err.code === code;
