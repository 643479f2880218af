import type { Actors } from "../../actors/actors.ts";
import { createBilling } from "../../actors/payments/billing.ts";
import { createTips } from "../../actors/payments/tips.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { type TipDoc, tipsIn } from "../../store/mongo/tips.ts";
import { usersIn } from "../../store/mongo/users.ts";

const CURRENCY = "USD";

type Deps = { mongo: Mongo; clock: Clock; log: Log; actors: Pick<Actors, "subscriptions" | "outbox"> };

export type Tipping = ReturnType<typeof tippingOf>;

/** Tips and the payment platform's reports at one process. */
export function tippingOf({ mongo, clock, log, actors: { subscriptions, outbox } }: Deps) {
  const usersByIds = async (ids: string[]) => {
    const found = await usersIn(mongo.db).findManyPublic(ids);
    return new Map(found.map((user) => [user._id, user]));
  };
  const tips = createTips({ mongo, clock, outbox, streams: streamsIn(mongo.db), identity: { usersByIds } });
  const prices = { currency: CURRENCY, tierCents: { 1: 499, 2: 999, 3: 2_499 } };
  const paymentSettings = { platform: null, prices };
  const { hooks, report } = createBilling({ mongo, clock, log, subscriptions, tips, paymentSettings });
  return {
    sweep: hooks.sweep,

    /** As a checkout begins it. */
    begin: (id: string, people: Pick<TipDoc, "fromUserId" | "toUserId">, amountCents: number) =>
      tipsIn(mongo.db).begin({
        ...{ _id: id, ...people, isAnonymous: false, amountCents, currency: CURRENCY, message: null },
        ...{ status: "pending", isHidden: false, platformId: null, createdAt: new Date(clock.now()) },
        ...{ paidAt: null, refundedAt: null, removeAt: null },
      }),

    /** The platform's report of a payment, as often as it likes. */
    paid: (id: string, amountCents: number) =>
      told("tip.completed", id, { platform_id: `of ${id}`, amount_cents: amountCents, currency: CURRENCY }),

    /** Its report of a refund. */
    refunded: (id: string) => told("tip.refunded", id, {}),

    /** By its receiver. */
    refund: tips.refund,
  };

  function told(type: string, id: string, data: object): Promise<void> {
    const created_at = new Date(clock.now()).toISOString();
    return report(`${type} ${id}`, { id: `${type} ${id}`, type, created_at, data: { tip_id: id, ...data } });
  }
}
