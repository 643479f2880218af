import type { Db } from "mongodb";
import { Conflict } from "../../../base/failures/conflict.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import { touchActivity } from "../../../store/mongo/channels/activity-marks.ts";
import type { BanUntil } from "../../../store/mongo/chat/chat-bans.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import { historyIn } from "../../../store/mongo/host/history.ts";
import { type RedemptionDoc, redemptionsIn } from "../../../store/mongo/points/redemptions.ts";
import { type RewardDoc, rewardsIn } from "../../../store/mongo/points/rewards.ts";
import type { ViewerBars } from "../../channels/public.ts";
import { actContent, actMessageRow } from "../../channels/public.ts";
import { type EffectHandlers, eachOf } from "../../host/effect.ts";
import type { OutboxDraft } from "../../host/outbox-draft.ts";
import { type Posting, postAndNotify } from "../ledger/post.ts";
import { pricePosting, refundOf, saleMarkOf } from "../redemption/refund.ts";
import { decisionOf, redemptionView, roomRedemptionView } from "../redemption/view.ts";
import type { RewardCommand, RewardContext, RewardEffects, RewardEvent, RewardInput } from "./machine.ts";
import { boughtReward, rewardDoc } from "./view.ts";

/** What was read for a batch, kept up to date while the batch is decided. */
export type RewardReads = {
  /** The place of a new reward; null when there is none left, or no reward is created. */
  place: number | null;
  /** The keys of the channel's other titles as they are made today; empty when no title is set. */
  otherTitles: ReadonlySet<string>;
  /** By user id, for users who redeem in this batch: */
  users: Map<string, UserWithoutSecrets>;
  balances: Map<string, number>;
  /** bans and timeouts, including expired ones; */
  bans: Map<string, BanUntil>;
  bars: ViewerBars;
  /** how often the user has redeemed it in this broadcast; */
  redeemed: Map<string, number>;
  /** the user's last redemption. */
  bought: Map<string, RedemptionDoc>;
  /** When the broadcast to which the limits apply began, Unix ms; null before the first one. */
  since: number | null;
  /** The number of the room that shows what redeemers write; null when the reward asks for nothing. */
  roomId: number | null;
  /** The redemptions of this batch, in order. */
  sold: RedemptionDoc[];
};

export type RewardAnswer = {
  /** Null in answers to redemptions. */
  reward: RewardDoc | null;
  bought: { redemption: RedemptionDoc; redeemer: UserWithoutSecrets } | null;
};

export type RewardTypes = {
  command: RewardCommand;
  event: RewardEvent;
  context: RewardContext;
  input: RewardInput;
  effects: RewardEffects;
  reads: RewardReads;
  answer: RewardAnswer;
};

/** Effect handlers; they write in the same transaction as the snapshot. */
export function rewardEffects(db: Db): EffectHandlers<RewardTypes> {
  const rewards = rewardsIn(db);
  const redemptions = redemptionsIn(db);
  const users = usersIn(db);
  const history = historyIn(db);

  return {
    list: {
      async write(batches, session) {
        const docs = eachOf(batches).map(
          ([
            { after },
            {
              reads: { place },
            },
          ]) => {
            if (place === null) throw new Conflict("somebody else has the last place");
            return { ...rewardDoc(after), place };
          },
        );
        await rewards.insert(docs, session);
      },
    },

    relist: {
      write: (batches, session) =>
        rewards.change(
          batches.flatMap(({ calls }) => calls.slice(-1).map(({ after }) => rewardDoc(after))),
          session,
        ),
    },

    sell: {
      apply({ params: { redemptionId, userId, userInput }, after: { id, context, at } }, reads) {
        const { skipQueue } = context;
        const doc: RedemptionDoc = {
          _id: redemptionId,
          rewardId: id,
          channelUserId: context.channelUserId,
          streamId: context.streamId,
          redeemerId: userId,
          reward: boughtReward(id, context),
          userInput: context.requiresInput ? userInput : null,
          status: skipQueue ? "fulfilled" : "pending",
          createdAt: at,
          endedAt: skipQueue ? at : null,
          endedBy: null,
        };
        reads.sold.push(doc);
        reads.bought.set(userId, doc);
        reads.redeemed.set(userId, (reads.redeemed.get(userId) ?? 0) + 1);
        reads.balances.set(userId, (reads.balances.get(userId) ?? 0) - context.cost);
      },
      async write(batches, session) {
        await redemptions.insert(
          batches.flatMap(({ reads }) => reads.sold),
          session,
        );
        await postAndNotify(
          db,
          batches.map(({ outbox, reads }) => ({ outbox, movements: reads.sold.map(pricePosting) })),
          session,
        );
        for (const { outbox, reads } of batches) {
          const [first] = reads.sold;
          if (!first) continue;
          outbox.rooms(
            first.streamId,
            "redemption.created",
            reads.sold.map((doc) => roomRedemptionView(doc, reads.users.get(doc.redeemerId))),
          );
          for (const { type, data, effects } of reads.sold.flatMap((doc) => inputRows(doc, reads)))
            outbox.room(first.streamId, type, data, effects);
        }
      },
    },

    delist: {
      write: (batches, session) =>
        rewards.remove(
          batches.map(({ id }) => id),
          session,
        ),
    },

    refundAll: {
      async write(batches, session) {
        const refunds: { outbox: OutboxDraft; movements: Posting[] }[] = [];
        for (const { calls, outbox, now } of batches) {
          const endedBy = calls[0]?.after.context.deletedBy ?? null;
          const pending = calls.flatMap(({ params }) => params.members);
          const end = { status: "refunded" as const, endedAt: now, endedBy };
          const ids = pending.map(({ _id }) => _id);
          // A moderator decided one of them concurrently; the retry reads the rest again.
          if (!(await redemptions.endAll(ids, end, session))) throw new Conflict("not pending any more");
          await touchActivity(db, pending.map(saleMarkOf));
          await history.insert(
            pending.flatMap((doc) => historyOf(doc, endedBy, now)),
            session,
          );
          const redeemers = await users.findManyPublic([...new Set(pending.map((doc) => doc.redeemerId))]);
          const byId = new Map(redeemers.map((user) => [user._id, user]));
          const ended = pending.map((doc) => ({ ...doc, ...end }));
          for (const doc of ended) {
            outbox.room(
              doc.streamId,
              "redemption.updated",
              roomRedemptionView(doc, byId.get(doc.redeemerId)),
            );
            outbox.notify(decisionOf(doc, now));
          }
          outbox.users(
            "redemption.updated",
            ended.map((doc) => ({
              userId: doc.redeemerId,
              data: redemptionView(doc, byId.get(doc.redeemerId)),
            })),
          );
          refunds.push({ outbox, movements: pending.map((doc) => refundOf(doc, now)) });
        }
        await postAndNotify(db, refunds, session);
      },
    },
  };
}

/** The event that shows a redeemer's input in the room; none without an input. */
function inputRows(doc: RedemptionDoc, { users, roomId }: RewardReads) {
  const content = actContent(doc.userInput);
  const author = users.get(doc.redeemerId);
  if (content === null || !author || roomId === null) return [];
  const { _id: id, rewardId: reward_id, reward } = doc;
  const act = { type: "redemption", id, reward_id, reward_title: reward.title, cost: reward.cost } as const;
  return [actMessageRow({ act, author, roomId, content, at: doc.createdAt })];
}

/** The history that the redemption's own actor would have written; that actor is never created. */
function historyOf(doc: RedemptionDoc, by: string | null, at: Date): HistoryDoc[] {
  const actor = `redemption:${doc._id}`;
  const row = (n: number) => ({ _id: `${actor}:1:${n}`, actor, version: 1, n });
  return [
    { ...row(0), event: "create", from: null, to: "pending", by: doc.redeemerId, at: doc.createdAt },
    { ...row(1), event: "rewardDeleted", from: "pending", to: "refunded", by, at },
  ];
}
