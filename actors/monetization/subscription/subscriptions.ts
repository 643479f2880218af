import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type SubscriptionDoc, subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import { type By, createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type SubscriptionDefinition, subscriptionDefinition } from "./definition.ts";
import type { FactOf } from "./facts.ts";
import type { SubscriptionCommand } from "./machine.ts";

export type Subscriptions = ReturnType<typeof createSubscriptions>;

type Deps = { mongo: Mongo; host: Host; definition: SubscriptionDefinition; clock: Clock };

/** A platform's report about an existing subscription. */
export type SubscriptionReport = Extract<
  SubscriptionCommand,
  { type: "renewed" | "paymentFailed" | "stopped" | "resumed" | "ended" }
>;

/** Subscriptions: payments, and requests of their subscribers. Refusals are thrown as ServiceErrors. */
function createSubscriptions({ mongo, host, definition, clock }: Deps) {
  const subscriptions = subscriptionsIn(mongo.db);
  const actors = createActorClient(host, definition);

  async function decide(id: string, command: SubscriptionCommand, who: By): Promise<SubscriptionDoc> {
    const { id: _new, happenedAt: _now, ...request } = command;
    return (await actors.ask(id, command, who, { request: { subscriptionId: id, ...request } })).subscription;
  }

  const newRequest = () => ({ id: newId(), happenedAt: clock.now() });

  return {
    /** Null when there is none. */
    find: (id: string) => subscriptions.find(id),
    /** Throws `not_found`. */
    async require(id: string): Promise<SubscriptionDoc> {
      const doc = await subscriptions.find(id);
      if (!doc) throw new ServiceError("not_found");
      return doc;
    },
    /** The subscription that still entitles, or null. */
    async current(subscriberId: string, channelUserId: string): Promise<SubscriptionDoc | null> {
      const doc = await subscriptions.current(subscriberId, channelUserId);
      return doc && doc.entitledUntil.getTime() > clock.now() ? doc : null;
    },
    /** The tier that a user is entitled to in a channel now; null for none. Reads a single index entry. */
    tierOf: (userId: string, channelUserId: string) =>
      subscriptions.tierOf(userId, channelUserId, new Date(clock.now())),
    pageOfSubscriber: subscriptions.pageOfSubscriber,
    pageOfChannel: subscriptions.pageOfChannel,

    /**
     * Books a payment that begins or extends the subscription. Throws `invalid_state` when it had ended before the payment,
     * `already_subscribed` when the subscriber has another current subscription to that channel.
     */
    paid: (
      id: string,
      people: { subscriberId: string; channelUserId: string },
      payment: Omit<FactOf<"paid">, "type">,
    ) => actors.ask(id, { type: "paid", ...payment }, null, { input: { ...people, first: payment } }),

    /** Returns false for a payment that isn't booked because it wasn't owed. Throws `not_found` before the first payment. */
    async report(id: string, report: SubscriptionReport): Promise<boolean> {
      const { unbooked } = await actors.ask(id, report, null);
      return !unbooked.includes(report.id);
    },

    cancel: (id: string, who: By) => decide(id, { type: "cancel", ...newRequest() }, who),
    resume: (id: string, who: By) => decide(id, { type: "resume", ...newRequest() }, who),
    downgrade: (id: string, plan: { tier: number; priceCents: number }, who: By) =>
      decide(id, { type: "downgrade", ...newRequest(), ...plan }, who),

    /** Cancels a subscription to a channel whose owner was banned; null for one that isn't billed any more. */
    cancelForBan: (id: string) => actors.notify(id, { type: "cancel", ...newRequest() }),

    history: actors.history,
  };
}

export const subscriptionsLifecycle = defineLifecycle({
  define: ({ db }) => subscriptionDefinition(db),
  open: createSubscriptions,
});
