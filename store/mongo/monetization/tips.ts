import type { ClientSession, Db } from "mongodb";
import { rangeFilter, type TimeRange } from "../channels/rollup-times.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { sumsByDay } from "../driver/time-sums.ts";

/** What a room did with the text of an act. */
export type ActTextOutcome = "shown" | "held" | "withheld";
/** The same, and what became of one that was held. */
export type ActTextState = ActTextOutcome | "denied" | "expired";

export type TipDoc = {
  _id: string;
  /** Null for a sender who wasn't signed in. */
  fromUserId: string | null;
  /** The receiver doesn't see who sent it. */
  isAnonymous: boolean;
  toUserId: string;
  amountCents: number;
  currency: string;
  message: string | null;
  /**
   * What became of the message; absent in tips from before that was recorded, null without a message or before it is known.
   */
  messageState?: ActTextState | "deleted" | null;
  /** When the room did that; absent in tips without a message, or from before it was recorded. */
  messageDecidedAt?: Date;
  status: "pending" | "completed" | "refunded";
  /** Set when it wasn't paid within a day. */
  isHidden: boolean;
  /** The platform's id of the payment. */
  platformId: string | null;
  createdAt: Date;
  paidAt: Date | null;
  refundedAt: Date | null;
  /** When it is removed, if it was never paid; null otherwise. */
  removeAt: Date | null;
};

export const tipsCollection = defineCollection<TipDoc>("tips", {
  personal: {
    // Payment records are kept for accounting.
    erase: { fromUserId: { does: "anonymise", sets: { message: null } }, toUserId: "anonymise" },
    exports: [
      {
        as: "tips_sent",
        by: "fromUserId",
        shows: [
          "toUserId",
          "amountCents",
          "currency",
          "message",
          "messageState",
          "status",
          "createdAt",
          "paidAt",
          "refundedAt",
        ],
      },
      {
        as: "tips_received",
        by: "toUserId",
        shows: ["amountCents", "currency", "status", "createdAt", "paidAt", "refundedAt"],
      },
    ],
  },

  indexes: [
    { key: { toUserId: 1, isHidden: 1, createdAt: -1, _id: -1 } }, // page
    { key: { fromUserId: 1, isHidden: 1, createdAt: -1, _id: -1 } }, // page
    { key: { status: 1, isHidden: 1, createdAt: 1 }, partialFilterExpression: { status: "pending" } }, // hideUnpaid
    { key: { platformId: 1 }, partialFilterExpression: { platformId: { $type: "string" } } }, // findByPayment
    // The activity feed; sums of cents, which read nothing else.
    { key: { toUserId: 1, status: 1, paidAt: -1, _id: -1, amountCents: 1 } },
    { key: { removeAt: 1 }, expireAfterSeconds: 0 },
  ],
  retired: [{ toUserId: 1, status: 1, paidAt: 1, amountCents: 1 }],
});

export type TipDirection = "received" | "sent";

export function tipsIn(db: Db) {
  const tips = tipsCollection.in(db);
  return {
    find: (id: string, session?: ClientSession) => tips.findOne({ _id: id }, session ? { session } : {}),
    findByPayment: (platformId: string) => tips.findOne({ platformId: { $type: "string", $eq: platformId } }),
    /** An existing one stays unchanged. */
    begin: async (doc: TipDoc) =>
      void (await tips.updateOne({ _id: doc._id }, { $setOnInsert: doc }, { upsert: true })),
    /** Changes a tip that is in the status `from`; null when it isn't. */
    change: (id: string, from: TipDoc["status"], change: Partial<TipDoc>, session: ClientSession) =>
      tips.findOneAndUpdate(
        { _id: id, status: from },
        { $set: change },
        { session, returnDocument: "after" },
      ),
    /** What the room did; a repeat, which may come after a moderator has decided or deleted it, changes nothing. */
    messageDecided: async (id: string, messageState: ActTextOutcome, messageDecidedAt: Date) =>
      void (await tips.updateOne(
        { _id: id, messageState: null },
        { $set: { messageState, messageDecidedAt } },
      )),
    /** Possibly before `messageDecided`: a moderator may be faster. */
    heldMessageResolved: async (id: string, messageState: ActTextState, session: ClientSession) =>
      void (await tips.updateOne(
        { _id: id, messageState: { $in: [null, "held"] } },
        { $set: { messageState } },
        { session },
      )),
    redact: async (id: string, session?: ClientSession) =>
      void (await tips.updateOne(
        { _id: id },
        { $set: { message: null, messageState: "deleted" } },
        session ? { session } : {},
      )),
    /** Newest first. */
    page: (userId: string, direction: TipDirection, range: Range) =>
      pageIn(
        tips,
        { [direction === "sent" ? "fromUserId" : "toUserId"]: userId, isHidden: false },
        { createdAt: -1, _id: -1 },
        range,
      ),
    /** What was paid to a user and not refunded, by Unix ms of the day's (UTC) beginning; days without are left out. */
    centsByDay: (toUserId: string, range: TimeRange): Promise<Map<number, number>> =>
      sumsByDay(
        tips,
        { toUserId, status: "completed", paidAt: rangeFilter(range) },
        { time: "paidAt", of: "$amountCents" },
      ),
    /** Hides tips that weren't paid; returns how many. */
    async hideUnpaid(before: Date, removeAt: Date): Promise<number> {
      const { modifiedCount } = await tips.updateMany(
        { status: "pending", isHidden: false, createdAt: { $lt: before } },
        { $set: { isHidden: true, removeAt } },
      );
      return modifiedCount;
    },
  };
}
