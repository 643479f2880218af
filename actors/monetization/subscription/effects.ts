import type { Db } from "mongodb";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { platformCallDocs, platformCallsIn } from "../../../store/mongo/monetization/platform-calls.ts";
import type { SubscriptionDoc } from "../../../store/mongo/monetization/subscriptions.ts";
import type { NotificationFact } from "../../../store/mongo/notifications/notification-facts.ts";
import { userSummary } from "../../accounts/public.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import type { OutboxDraft } from "../../host/outbox-draft.ts";
import type { FactOf } from "./facts.ts";
import type {
  SubscriptionCommand,
  SubscriptionContext,
  SubscriptionEffects,
  SubscriptionEvent,
  SubscriptionInput,
} from "./machine.ts";
import { tierFrom } from "./view.ts";

type SubscriptionReads = {
  /** The channel's room, and the users that may be named in it; only read for a payment. */
  streamId: string | null;
  users: Map<string, UserWithoutSecrets>;
};

type SubscriptionAnswer = {
  subscription: SubscriptionDoc;
  /** Ids of facts that are payments that weren't owed. */
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

/** Effect handlers; they write in the same transaction as the snapshot. */
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

/** The fan-out of notifications looks up names and checks blocks. */
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

/** Doesn't name users who no longer exist, or between whom and the channel there is a block. */
function announce(
  { id: payment_id, isGift, giftedBy, tier }: FactOf<"paid">,
  { subscriberId }: SubscriptionContext,
  { users }: SubscriptionReads,
  publish: OutboxDraft["room"],
  streamId: string,
): void {
  const subscriber = users.get(subscriberId);
  if (!subscriber) return;
  const data = { subscriber: userSummary(subscriber), tier: tierFrom(tier), payment_id };
  // The subscriber's badge and emotes are available for the next message.
  const effects = [{ kind: "member" as const, userId: subscriberId }];
  if (!isGift) {
    publish(streamId, "subscription.started", data, effects);
    return;
  }
  const giver = giftedBy === null ? undefined : users.get(giftedBy);
  publish(
    streamId,
    "subscription.gifted",
    { ...data, gifted_by: giver ? userSummary(giver) : null },
    effects,
  );
}
