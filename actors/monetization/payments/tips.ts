import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Tip } from "../../../contract/wire.ts";
import { HELD_MS } from "../../../realtime/rooms/held.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import {
  type PlatformCall,
  platformCallDocs,
  platformCallsIn,
} from "../../../store/mongo/monetization/platform-calls.ts";
import { type TipDirection, type TipDoc, tipsIn } from "../../../store/mongo/monetization/tips.ts";
import {
  type NotificationFact,
  notificationFactsIn,
} from "../../../store/mongo/notifications/notification-facts.ts";
import type { Directory } from "../../accounts/public.ts";
import { userSummary } from "../../accounts/public.ts";
import { actContent, actMessageRow } from "../../channels/public.ts";
import type { Outcome } from "../../hooks/inbox.ts";
import type { By } from "../../host/actor-client.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { Outbox } from "../../host/outbox.ts";
import type { OutboxRow } from "../../host/outbox-draft.ts";

type Deps = {
  mongo: Mongo;
  clock: Clock;
  streams: Pick<Streams, "findByUser">;
  directory: Pick<Directory, "usersByIds">;
  outbox: Pick<Outbox, "write" | "publishSoon">;
};

export type Tips = ReturnType<typeof createTips>;

/** Tips, from the report of their payment onwards. */
export function createTips({ mongo, clock, streams, directory, outbox }: Deps) {
  const tips = tipsIn(mongo.db);
  const calls = platformCallsIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const blocks = blocksIn(mongo.db);
  const facts = notificationFactsIn(mongo.db);
  const sourceOf = (id: string) => `tip:${id}`;

  const transact = <T>(write: (session: ClientSession) => Promise<T>) =>
    inRetriedTransaction(mongo.client, write);

  /** The sender; null for anonymous tips. */
  async function senderOf(tip: TipDoc): Promise<UserWithoutSecrets | null> {
    if (tip.isAnonymous || tip.fromUserId === null) return null;
    return (await directory.usersByIds([tip.fromUserId])).get(tip.fromUserId) ?? null;
  }

  /**
   * The event that shows a tip's message in the room, which decides about it then; null without one. The message of an anonymous
   * tip is between sender and receiver: no moderator could ban its author.
   */
  async function messageRow(tip: TipDoc, stream: StreamDoc, sender: UserWithoutSecrets | null) {
    const content = actContent(tip.message);
    if (content === null || sender?.status !== "active") return null;
    if ((await blocks.eitherWay(sender._id, [stream.userId])).size > 0) return null;
    const { _id: id, amountCents: amount_cents, currency } = tip;
    const act = { type: "tip", id, amount_cents, currency } as const;
    return actMessageRow({ act, author: sender, roomId: stream.roomId, content, at: new Date(clock.now()) });
  }

  /** Throws `forbidden`, `invalid_state`. */
  async function refundIn(id: string, by: string, session: ClientSession): Promise<TipDoc> {
    const now = new Date(clock.now());
    const tip = await tips.change(id, "completed", { status: "refunded", refundedAt: now }, session);
    if (!tip)
      throw new ServiceError("invalid_state", { status: (await tips.find(id, session))?.status ?? null });
    if (tip.toUserId !== by) throw new ServiceError("forbidden");
    const { platformId, amountCents } = tip;
    const call: PlatformCall[] = platformId === null ? [] : [{ kind: "refund", platformId, amountCents }];
    await calls.insert(platformCallDocs(`tip:${id}`, call, now), session);
    return tip;
  }

  return {
    /** Throws `not_found`. */
    async require(id: string): Promise<TipDoc> {
      const tip = await tips.find(id);
      if (!tip) throw new ServiceError("not_found");
      return tip;
    },

    /** The id of the tip paid by the payment with this id at the platform; null when it wasn't for a tip. */
    paidBy: async (platformId: string) => (await tips.findByPayment(platformId))?._id ?? null,

    page: (userId: string, direction: TipDirection, range: Range) => tips.page(userId, direction, range),

    /** Refunds a tip, once. Throws `forbidden`, `invalid_state`, `idempotency_conflict`. */
    refund: (id: string, { by, key }: By) =>
      transact((session) =>
        keyed.once({ by, operation: "tip.refund", key: key ?? null, request: { id } }, session, {
          act: () => refundIn(id, by, session),
          answerOf: () => id,
          again: (answer) => tips.find(answer, session),
        }),
      ),

    /** Handles a platform's report of a payment. A tip already reported as refunded stays refunded. */
    async paid(
      id: string,
      paid: { amount_cents: number; currency: string; paidAt: Date; platformId: string | null },
    ): Promise<Outcome> {
      const tip = await tips.find(id);
      if (!tip) return { setAside: "there is no such tip" };
      if (tip.amountCents !== paid.amount_cents || tip.currency !== paid.currency)
        return { setAside: "the amount isn't that of the checkout" };
      const [stream, sender] = await Promise.all([streams.findByUser(tip.toUserId), senderOf(tip)]);
      const message = stream && (await messageRow(tip, stream, sender));
      // With a message it is known only when that is published.
      const messageState = tip.message === null || message !== null ? null : "withheld";
      const { paidAt, platformId } = paid;
      await transact(async (session) => {
        const payment = { isHidden: false, removeAt: null, paidAt, platformId };
        const completed = await tips.change(
          id,
          "pending",
          { ...payment, status: "completed", messageState },
          session,
        );
        // Refunded before the report of its payment came: the payment is recorded, but nothing is announced.
        if (!completed) return void (await tips.change(id, "refunded", payment, session));
        await facts.insert([receivedFact(tip, new Date(clock.now()))], session);
        if (!stream) return;
        const data = {
          tip_id: id,
          from_user: sender && userSummary(sender),
          amount_cents: tip.amountCents,
          currency: tip.currency,
          message: null,
        };
        const row = { actor: sourceOf(id), version: 1, target: { room: stream._id } };
        const rows: OutboxRow[] = [{ ...row, n: 0, type: "tip.received", data }];
        if (message) rows.push({ ...row, n: 1, ...message });
        await outbox.write(rows, session);
      });
      outbox.publishSoon(sourceOf(id));
      return "applied";
    },

    /** Handles a platform's report of a refund, whether we requested it or it was made there. */
    async refunded(id: string, refundedAt: Date): Promise<Outcome> {
      const tip = await tips.find(id);
      if (!tip) return { setAside: "there is no such tip" };
      const change = { status: "refunded" as const, refundedAt, isHidden: false, removeAt: null };
      await transact(async (session) => {
        const changed = await tips.change(id, "completed", change, session);
        if (!changed) await tips.change(id, "pending", change, session);
      });
      return "applied";
    },

    /** Hides the sender of anonymous tips, except from `viewer` if that is the sender. */
    async view(docs: TipDoc[], viewer: string): Promise<Tip[]> {
      const shown = (tip: TipDoc) => (tip.isAnonymous && tip.fromUserId !== viewer ? null : tip.fromUserId);
      const ids = docs.flatMap((tip) => [shown(tip), tip.toUserId]).filter((id) => id !== null);
      const users = await directory.usersByIds([...new Set(ids)]);
      return docs.map((tip) => {
        const from = users.get(shown(tip) ?? "");
        const to = users.get(tip.toUserId);
        return {
          id: tip._id,
          from_user: from ? userSummary(from) : null,
          to_user_id: tip.toUserId,
          ...(to ? { to_user: userSummary(to) } : {}),
          amount_cents: tip.amountCents,
          currency: tip.currency,
          message: tip.message,
          message_state: messageStateOf(tip, clock.now()),
          status: tip.status,
          created_at: tip.createdAt.toISOString(),
        };
      });
    },
  };
}

/** Nobody can approve what waited for too long, also where Redis has lost it and no sweep finds it. */
function messageStateOf({ messageState, messageDecidedAt }: TipDoc, now: number): Tip["message_state"] {
  const isOver = messageDecidedAt !== undefined && messageDecidedAt.getTime() + HELD_MS <= now;
  return messageState === "held" && isOver ? "expired" : (messageState ?? null);
}

/** Doesn't contain the sender of an anonymous tip. */
const receivedFact = (tip: TipDoc, at: Date): NotificationFact => ({
  kind: "tip",
  ref: tip._id,
  userId: tip.toUserId,
  at,
  data: {
    tipId: tip._id,
    fromUserId: tip.isAnonymous ? null : tip.fromUserId,
    amountCents: tip.amountCents,
    currency: tip.currency,
  },
});
