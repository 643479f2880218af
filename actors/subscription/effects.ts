import type { Db } from "mongodb";
import type { NotificationFact } from "../../store/mongo/notification-facts.ts";
import { platformCallDocs, platformCallsIn } from "../../store/mongo/platform-calls.ts";
import type { SubscriptionDoc } from "../../store/mongo/subscriptions.ts";
import type { PublicUserDoc } from "../../store/mongo/users.ts";
import { type EffectHandlers, eachOf } from "../host/effect.ts";
import type { OutboxDraft } from "../host/outbox-draft.ts";
import { userSummary } from "../identity/views.ts";
import type { FactOf } from "./facts.ts";
import type {
  SubscriptionCommand,
  SubscriptionContext,
  SubscriptionEffects,
  SubscriptionEvent,
  SubscriptionInput,
} from "./machine.ts";
import { tierFrom } from "./view.ts";

export type SubscriptionReads = {
  /** The channel's room, and whoever may be named in it: only looked up for a payment. */
  streamId: string | null;
  users: Map<string, PublicUserDoc>;
};

export type SubscriptionAnswer = {
  subscription: SubscriptionDoc;
  /** Payments that were not owed, by the fact's id. */
  unbooked: string[];
};

export type SubscriptionTypes = {
  command: SubscriptionCommand;
  event: SubscriptionEvent;
  context: SubscriptionContext;
  input: SubscriptionInput;
  effects: SubscriptionEffects;
  reads: SubscriptionReads;
  answer: SubscriptionAnswer;
};

/** What each effect means, written into the same transaction as the snapshot. */
export function subscriptionEffects(db: Db): EffectHandlers<SubscriptionTypes> {
  const calls = platformCallsIn(db);
  return {
    book: {
      async write(batches, session) {
        const all = eachOf(batches);
        const docs = all.flatMap(([{ params }, { id, now }]) =>
          platformCallDocs(`subscription:${id}`, params.calls, now),
        );
        await calls.insert(docs, session);
        for (const [{ params, after }, { id, outbox, reads, now }] of all) {
          const { announced } = params;
          if (!announced) continue;
          for (const fact of factsOf(announced, id, after.context, now)) outbox.notify(fact);
          if (reads.streamId !== null) announce(announced, after.context, reads, outbox.room, reads.streamId);
        }
      },
    },
  };
}

/** Names are looked up, and blocks looked at, by who tells it. */
function factsOf(
  { id: ref, isGift, giftedBy: giverId, tier }: FactOf<"paid">,
  subscriptionId: string,
  { subscriberId, channelUserId }: SubscriptionContext,
  at: Date,
): NotificationFact[] {
  const paid = { subscriptionId, tier };
  const toOwner = { ref, userId: channelUserId, at };
  if (!isGift) return [{ kind: "subscription", ...toOwner, data: { ...paid, subscriberId } }];
  const toReceiver = { ref, userId: subscriberId, at };
  return [
    { kind: "gift", ...toOwner, data: { ...paid, subscriberId, giverId } },
    { kind: "gift_received", ...toReceiver, data: { ...paid, channelUserId, giverId } },
  ];
}

/** Nobody is named who has gone meanwhile, or is blocked there. */
function announce(
  { isGift, giftedBy, tier }: FactOf<"paid">,
  { subscriberId }: SubscriptionContext,
  { users }: SubscriptionReads,
  tell: OutboxDraft["room"],
  streamId: string,
): void {
  const subscriber = users.get(subscriberId);
  if (!subscriber) return;
  const data = { subscriber: userSummary(subscriber), tier: tierFrom(tier) };
  // Its badge and its emotes are there for the next message.
  const effects = [{ kind: "member" as const, userId: subscriberId }];
  if (!isGift) {
    tell(streamId, "subscription.started", data, effects);
    return;
  }
  const giver = giftedBy === null ? undefined : users.get(giftedBy);
  tell(streamId, "subscription.gifted", { ...data, gifted_by: giver ? userSummary(giver) : null }, effects);
}
