import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
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
  /** A message in that room named the user, or answered one of theirs. */
  mention: { streamId: string; authorId: string };
  follower: { followerId: string };
  raid: { raidId: string; sourceUserId: string; viewers: number };
  /** Of the owner's channel, by somebody else. */
  clip: { clipId: string; creatorId: string };
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
  mention: "mention",
  follower: "follower",
  raid: "raid",
  clip: "clip",
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

/** What was told, by its kind. */
export type Told = { [K in Kind]: { kind: K; data: Facts[K] } }[Kind];

type ListedKind = { [K in Kind]: (typeof TYPES)[K] extends null ? never : K }[Kind];

/** What lists of notifications have a type for. */
export type Listed = Extract<Told, { kind: ListedKind }>;

const isKind = (name: string): name is Kind => Object.hasOwn(TYPES, name);

/** Those that this release knows: a newer one, beside it or before it, may have written others. */
const KINDS = Object.keys(TYPES).filter(isKind);

export const isListed = <T extends Told>(told: T): told is T & Listed =>
  isKind(told.kind) && TYPES[told.kind] !== null;

export const typeOf = ({ kind }: Listed): NotificationType => TYPES[kind];

/** A follower up to whom it was told, in the order of `followersBefore`. */
export type ToldUpTo = { createdAt: Date; followId: string };

/**
 * Something that somebody is to be told, written in the transaction in which it happened (docs/decisions/0040); lists of
 * notifications are made of it (actors/notifications/telling.ts). It holds ids alone of everybody but whom it is for.
 */
export type NotificationFactDoc = Told & {
  /** "kind:ref:user": the same fact is one row, however often it is written. */
  _id: string;
  type: NotificationType | null;
  /** Whom it is for; with `toFollowers` whose followers it is for. */
  userId: string;
  toFollowers: boolean;
  createdAt: Date;
  /** When lists had it, or it was found to be none of theirs. Absent in rows that nobody has looked at. */
  listedAt?: Date | null;
  /** With `toFollowers`: when some followers were told last, and up to whom. */
  turnAt?: Date;
  toldUpTo?: ToldUpTo;
};

const KEPT_SECONDS = 90 * 86_400;

const KEPT_BRIEFLY = "what others are told is removed by itself after 90 days";

export const notificationFactsCollection = defineCollection<NotificationFactDoc>("notification_facts", {
  personal: {
    // What others are told of the account is removed by itself.
    erase: {
      userId: "delete",
      data: { keep: KEPT_BRIEFLY },
      toldUpTo: { keep: KEPT_BRIEFLY },
      _id: { keep: KEPT_BRIEFLY },
    },
    exports: [{ by: "userId", shows: ["kind", "type", "createdAt"] }],
  },
  indexes: [
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
    { key: { userId: 1, createdAt: 1 } }, // a user's: for an export and an erasure
    { key: { listedAt: 1, toFollowers: 1, kind: 1, turnAt: 1, createdAt: 1 } }, // due, unknown
  ],
  retired: [{ listedAt: 1, toFollowers: 1, turnAt: 1, createdAt: 1 }],
});

export function toldOf(fact: NotificationFactDoc): Told {
  const { _id, userId, type, toFollowers, createdAt, listedAt, turnAt, toldUpTo, ...told } = fact;
  return told;
}

export function notificationFactsIn(db: Db) {
  const facts = notificationFactsCollection.in(db);
  return {
    /** In one statement; none when there is nothing to tell. A fact that is there stays as it is. */
    async insert(told: readonly NotificationFact[], session?: ClientSession): Promise<void> {
      if (told.length === 0) return;
      const each = told.map(({ ref, at: createdAt, ...fact }) => {
        const type = TYPES[fact.kind];
        const listedAt = type === null ? createdAt : null;
        const row = { ...fact, type, toFollowers: fact.kind === "stream_live", createdAt, listedAt };
        const filter = { _id: `${fact.kind}:${ref}:${fact.userId}` };
        return { updateOne: { filter, update: { $setOnInsert: row }, upsert: true } };
      });
      await facts.bulkWrite(each, { ...(session ? { session } : {}), ordered: false });
    },

    /**
     * What lists don't have yet, the oldest first; of what is for followers, what had no turn for longest. Kinds that this
     * release doesn't know wait for one that does, and keep nothing else waiting.
     */
    due: (toFollowers: boolean, limit: number) =>
      facts
        .find({ listedAt: null, toFollowers, kind: { $in: KINDS } }, inOneReply(limit))
        .sort({ turnAt: 1, createdAt: 1 })
        .limit(limit)
        .toArray(),

    /** One of the kinds that wait and that this release doesn't know. */
    async unknownKind(): Promise<string | null> {
      const waits = { listedAt: null, toFollowers: { $in: [false, true] }, kind: { $nin: KINDS } };
      const found = await facts.findOne(waits, { projection: { kind: 1 } });
      return found?.kind ?? null;
    },

    /** How many of them lists didn't have before. */
    async markListed(ids: string[], listedAt: Date, session: ClientSession): Promise<number> {
      const unlisted = { _id: { $in: ids }, listedAt: null };
      return (await facts.updateMany(unlisted, { $set: { listedAt } }, { session })).modifiedCount;
    },

    /** `toldUpTo` null: all were. False when it isn't any more as it was read. */
    async tookTurn(
      read: NotificationFactDoc,
      turn: { at: Date; toldUpTo: ToldUpTo | null },
      session: ClientSession,
    ): Promise<boolean> {
      const { at, toldUpTo } = turn;
      const asRead = { _id: read._id, listedAt: null, "toldUpTo.followId": read.toldUpTo?.followId ?? null };
      const change = toldUpTo === null ? { listedAt: at } : { turnAt: at, toldUpTo };
      return (await facts.updateOne(asRead, { $set: change }, { session })).modifiedCount === 1;
    },
  };
}
