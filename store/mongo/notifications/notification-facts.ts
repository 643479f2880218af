import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import type { RedemptionDoc } from "../points/redemptions.ts";
import type { MeasureDoc, ReportStatus, ReportTargetType } from "../safety/reports.ts";

/** The types that the list of notifications has (NotificationType in docs/interface.md#2-resources). */
export type NotificationType =
  | "stream_live"
  | "mention"
  | "follower"
  | "raid"
  | "clip"
  | "subscription"
  | "donation"
  | "unban_request";

/** Ids and figures that a notification is rendered from; names and pictures are looked up at that time. */
type Facts = {
  /** A channel went live: one row, for all of its followers. */
  stream_live: { streamId: string; sessionId: string };
  /** A message in that room mentioned the user, or replied to one of theirs. */
  mention: { streamId: string; authorId: string };
  follower: { followerId: string };
  raid: { raidId: string; sourceUserId: string; viewers: number };
  /** A clip of the owner's channel, made by somebody else. */
  clip: { clipId: string; creatorId: string };
  /** For the channel's owner. */
  subscription: { subscriptionId: string; subscriberId: string; tier: number };
  /** For the channel's owner, */
  gift: { subscriptionId: string; subscriberId: string; giverId: string | null; tier: number };
  /** and for the recipient. */
  gift_received: { subscriptionId: string; channelUserId: string; giverId: string | null; tier: number };
  /** `fromUserId` is also null when the sender wants to stay anonymous. */
  tip: { tipId: string; fromUserId: string | null; amountCents: number; currency: string };
  /** For the banned user, once moderators of that room have decided. */
  unban_request: { streamId: string; status: "approved" | "denied" };
  redemption: {
    redemptionId: string;
    rewardId: string;
    channelUserId: string;
    status: RedemptionDoc["status"];
  };
  report: { reportId: string; targetType: ReportTargetType; targetId: string; status: ReportStatus };
  /** What staff did to a user: a measure of a case, a strike, a ban; `id` is that of the measure, the strike or the ban. */
  measure: { id: string; measure: MeasureDoc["type"]; reason: string; until: Date | null };
  appeal: { appealId: string; status: "granted" | "denied" };
};

type Kind = keyof Facts;

/** Null: not in the list. The user gets it as a socket event, and decisions of staff also by mail. */
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
  unban_request: "unban_request",
  redemption: null,
  report: null,
  measure: null,
  appeal: null,
} as const satisfies Record<Kind, NotificationType | null>;

const MAILED: ReadonlySet<Kind> = new Set(["measure", "appeal"]);

/** `ref` identifies the fact among those of its kind for that user. */
export type NotificationFact = {
  [K in Kind]: { kind: K; ref: string; userId: string; data: Facts[K]; at: Date };
}[Kind];

/** A fact's data, discriminated by its kind. */
type TypedFact = { [K in Kind]: { kind: K; data: Facts[K] } }[Kind];

type ListedKind = { [K in Kind]: (typeof TYPES)[K] extends null ? never : K }[Kind];

/** Facts that lists of notifications have a type for. */
export type Listed = Extract<TypedFact, { kind: ListedKind }>;

const isKind = (name: string): name is Kind => Object.hasOwn(TYPES, name);

/** The kinds that this release knows: a newer one, running now or earlier, may have written others. */
const KINDS = Object.keys(TYPES).filter(isKind);

export const isListed = <T extends TypedFact>(fact: T): fact is T & Listed =>
  isKind(fact.kind) && TYPES[fact.kind] !== null;

export const typeOf = ({ kind }: Listed): NotificationType => TYPES[kind];

/** The last follower who was notified, in the order of `followersBefore`. */
export type FollowerCursor = { createdAt: Date; followId: string };

/**
 * Something that a user is to be notified of, written in the transaction in which it happened (docs/decisions/0040); lists of
 * notifications are a projection of it (actors/notifications/fan-out.ts). Except for its recipient it names users only by id.
 */
export type NotificationFactDoc = TypedFact & {
  /** "kind:ref:user": idempotent, one row per fact. */
  _id: string;
  type: NotificationType | null;
  /** The recipient; with `toFollowers` the user whose followers are the recipients. */
  userId: string;
  toFollowers: boolean;
  createdAt: Date;
  /** When lists or mail took it over, or it was found to be irrelevant to them. Absent in rows that weren't processed. */
  listedAt?: Date | null;
  /** Progress with `toFollowers`: the time of the last batch, and its cursor. */
  turnAt?: Date;
  toldUpTo?: FollowerCursor;
};

const TTL_SECONDS = 90 * 86_400;

const KEPT_BRIEFLY = "what others are notified of is removed by itself after 90 days";

export const notificationFactsCollection = defineCollection<NotificationFactDoc>("notification_facts", {
  personal: {
    // Facts about the account in rows of other recipients expire by themselves.
    erase: {
      userId: "delete",
      data: { keep: KEPT_BRIEFLY },
      toldUpTo: { keep: KEPT_BRIEFLY },
      _id: { keep: KEPT_BRIEFLY },
    },
    exports: [{ by: "userId", shows: ["kind", "type", "createdAt"] }],
  },
  indexes: [
    { key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS },
    { key: { userId: 1, createdAt: 1 } }, // a user's: for an export and an erasure
    { key: { listedAt: 1, toFollowers: 1, kind: 1, turnAt: 1, createdAt: 1 } }, // due, unknown
  ],
  retired: [{ listedAt: 1, toFollowers: 1, turnAt: 1, createdAt: 1 }],
});

export function typedFact(row: NotificationFactDoc): TypedFact {
  const { _id, userId, type, toFollowers, createdAt, listedAt, turnAt, toldUpTo, ...fact } = row;
  return fact;
}

export function notificationFactsIn(db: Db) {
  const facts = notificationFactsCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    /** In one statement; does nothing for an empty list. An existing fact stays unchanged. */
    async insert(added: readonly NotificationFact[], session?: ClientSession): Promise<void> {
      if (added.length === 0) return;
      const each = added.map(({ ref, at: createdAt, ...fact }) => {
        const type = TYPES[fact.kind];
        const listedAt = type === null && !MAILED.has(fact.kind) ? createdAt : null;
        const row = { ...fact, type, toFollowers: fact.kind === "stream_live", createdAt, listedAt };
        const filter = { _id: `${fact.kind}:${ref}:${fact.userId}` };
        return { updateOne: { filter, update: { $setOnInsert: row }, upsert: true } };
      });
      await facts.bulkWrite(each, { ...(session ? { session } : {}), ordered: false });
    },

    /**
     * Facts that lists and mail haven't processed yet, oldest first; those for followers by their last turn. Kinds that this
     * release doesn't know wait for one that does, and don't delay others.
     */
    due: (toFollowers: boolean, limit: number) =>
      facts
        .find({ listedAt: null, toFollowers, kind: { $in: KINDS } }, inOneReply(limit))
        .sort({ turnAt: 1, createdAt: 1 })
        .limit(limit)
        .toArray(),

    /** Whether `due` has any, of either sort. */
    async hasDue(): Promise<boolean> {
      const waits = { listedAt: null, toFollowers: { $in: [false, true] }, kind: { $in: KINDS } };
      return (await batchedFind(facts, waits, { limit: 1, projection: { _id: 1 } })).length > 0;
    },

    /** One of the waiting kinds that this release doesn't know; null for none. */
    async unknownKind(): Promise<string | null> {
      const waits = { listedAt: null, toFollowers: { $in: [false, true] }, kind: { $nin: KINDS } };
      const found = await facts.findOne(waits, { projection: { kind: 1 } });
      return found?.kind ?? null;
    },

    /** Returns how many of them weren't listed before. */
    async markListed(ids: string[], listedAt: Date, session: ClientSession): Promise<number> {
      const unlisted = { _id: { $in: ids }, listedAt: null };
      return (await facts.updateMany(unlisted, { $set: { listedAt } }, { session })).modifiedCount;
    },

    /** `toldUpTo` null: all followers are done. False when the row has changed since it was read (optimistic lock). */
    async recordTurn(
      read: NotificationFactDoc,
      turn: { at: Date; toldUpTo: FollowerCursor | null },
      session: ClientSession,
    ): Promise<boolean> {
      const { at, toldUpTo } = turn;
      const asRead = { _id: read._id, listedAt: null, "toldUpTo.followId": read.toldUpTo?.followId ?? null };
      const change = toldUpTo === null ? { listedAt: at } : { turnAt: at, toldUpTo };
      return (await facts.updateOne(asRead, { $set: change }, { session })).modifiedCount === 1;
    },
  };
}
