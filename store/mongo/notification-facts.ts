import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import type { RedemptionDoc } from "./redemptions.ts";
import type { MeasureDoc, ReportStatus, ReportTargetType } from "./reports.ts";

/** What the list of notifications knows (spec §2 NotificationType). */
export type NotificationType =
  | "stream_live"
  | "mention"
  | "follower"
  | "raid"
  | "clip"
  | "subscription"
  | "donation";

/** Ids and figures by which it can be told; names and pictures are looked up then. */
type Facts = {
  /** Of the channel that is live: one row, for all of its followers. */
  stream_live: { streamId: string; sessionId: string };
  follower: { followerId: string };
  raid: { raidId: string; sourceUserId: string; viewers: number };
  /** To the channel's owner. */
  subscription: { subscriptionId: string; subscriberId: string; tier: number };
  /** To the channel's owner, */
  gift: { subscriptionId: string; subscriberId: string; giverId: string | null; tier: number };
  /** and to who got it. */
  gift_received: { subscriptionId: string; channelUserId: string; giverId: string | null; tier: number };
  /** `fromUserId` is null also where the sender isn't to be known. */
  tip: { tipId: string; fromUserId: string | null; amountCents: number; currency: string };
  redemption: {
    redemptionId: string;
    rewardId: string;
    channelUserId: string;
    status: RedemptionDoc["status"];
  };
  report: { reportId: string; targetType: ReportTargetType; targetId: string; status: ReportStatus };
  /** What staff did about somebody: a case's measure, a strike, a ban; `id` is that of the measure, the strike or the ban. */
  measure: { id: string; measure: MeasureDoc["type"]; reason: string; until: Date | null };
  appeal: { appealId: string; status: "granted" | "denied" };
};

type Kind = keyof Facts;

/** Null: the list has no type for it. Mail tells it, and the event on the user's socket that it has. */
const TYPES = {
  stream_live: "stream_live",
  follower: "follower",
  raid: "raid",
  subscription: "subscription",
  gift: "subscription",
  gift_received: "subscription",
  tip: "donation",
  redemption: null,
  report: null,
  measure: null,
  appeal: null,
} as const satisfies Record<Kind, NotificationType | null>;

/** `ref` is what makes it the same fact, of its kind and for that user. */
export type NotificationFact = {
  [K in Kind]: { kind: K; ref: string; userId: string; data: Facts[K]; at: Date };
}[Kind];

/**
 * Something that somebody is to be told, written in the transaction in which it happened (docs/decisions/0040). Nothing reads
 * it yet. It holds ids alone of everybody but whom it is for.
 */
export type NotificationFactDoc = {
  /** "kind:ref:user": the same fact is one row, however often it is written. */
  _id: string;
  kind: Kind;
  type: NotificationType | null;
  /** Whom it is for; with `toFollowers` whose followers it is for. */
  userId: string;
  toFollowers: boolean;
  data: Facts[Kind];
  createdAt: Date;
};

const KEPT_SECONDS = 90 * 86_400;

const KEPT_BRIEFLY = "what others are told is removed by itself after 90 days";

export const notificationFactsCollection = defineCollection<NotificationFactDoc>("notification_facts", {
  personal: {
    // What others are told of the account is removed by itself.
    erase: { userId: "delete", data: { keep: KEPT_BRIEFLY }, _id: { keep: KEPT_BRIEFLY } },
    exports: [{ by: "userId", shows: ["kind", "type", "createdAt"] }],
  },
  indexes: [
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS }, // whoever tells them goes by it too
    { key: { userId: 1, createdAt: 1 } }, // a user's: for an export and an erasure
  ],
});

export function notificationFactsIn(db: Db) {
  const facts = notificationFactsCollection.in(db);
  return {
    /** In one statement; none when there is nothing to tell. A fact that is there stays as it is. */
    async insert(told: readonly NotificationFact[], session: ClientSession): Promise<void> {
      if (told.length === 0) return;
      const each = told.map(({ kind, ref, userId, data, at: createdAt }) => {
        const row = { kind, type: TYPES[kind], userId, toFollowers: kind === "stream_live", data, createdAt };
        const filter = { _id: `${kind}:${ref}:${userId}` };
        return { updateOne: { filter, update: { $setOnInsert: row }, upsert: true } };
      });
      await facts.bulkWrite(each, { session, ordered: false });
    },
  };
}
