import type { ClientSession, Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import type { QueueFigures } from "./reports.ts";

export type AppealSubject = "ban" | "strike" | "chat_ban";

/** How long staff hold an appeal that they have claimed; ms. */
const CLAIM_MS = 30 * MINUTE_MS;

type AppealStatus = "open" | "claimed" | "granted" | "denied";

/** A user's appeal against a ban, a strike or a chat ban. */
export type AppealDoc = {
  _id: string;
  userId: string;
  subjectType: AppealSubject;
  /** The id of the ban or strike; for a chat ban the stream's. */
  subjectId: string;
  message: string;
  /** Not updated when a claim expires: readers derive that from `claimedAt`. */
  status: AppealStatus;
  /** Undecided: at most one per user and subject. */
  isOpen: boolean;
  claimedBy: string | null;
  claimedAt: Date | null;
  note: string | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  createdAt: Date;
};

export const appealsCollection = defineCollection<AppealDoc>("appeals", {
  personal: {
    erase: { userId: "delete", claimedBy: "anonymise", decidedBy: "anonymise" },
    exports: [
      {
        by: "userId",
        shows: ["_id", "subjectType", "subjectId", "message", "status", "note", "createdAt", "decidedAt"],
      },
    ],
  },

  indexes: [
    {
      key: { userId: 1, subjectType: 1, subjectId: 1 },
      unique: true,
      partialFilterExpression: { isOpen: true },
      name: "one_open_a_subject",
    },
    { key: { userId: 1, createdAt: -1, _id: -1 } }, // pageOf
    { key: { isOpen: 1, createdAt: 1, _id: 1 } }, // page of the queue
    { key: { status: 1, createdAt: 1, _id: 1 } }, // page of a decision
    { key: { decidedAt: 1 } }, // queue
  ],
});

/** The claim at that time: claims expire by themselves. */
export const claimOf = (appeal: AppealDoc, now: Date): { by: string; until: Date } | null => {
  if (appeal.status !== "claimed" || appeal.claimedBy === null || appeal.claimedAt === null) return null;
  const until = new Date(appeal.claimedAt.getTime() + CLAIM_MS);
  return until > now ? { by: appeal.claimedBy, until } : null;
};

export function appealsIn(db: Db) {
  const appeals = appealsCollection.in(db);
  const claimedSince = (now: Date) => new Date(now.getTime() - CLAIM_MS);
  const heldBy = (by: string, now: Date) => ({
    status: "claimed" as const,
    claimedBy: by,
    claimedAt: { $gt: claimedSince(now) },
  });
  return {
    insert: async (doc: AppealDoc) => void (await appeals.insertOne(doc)),
    find: (appealId: string) => appeals.findOne({ _id: appealId }),
    /** The newest first. */
    pageOf: (userId: string, range: Range) => pageIn(appeals, { userId }, { createdAt: -1, _id: -1 }, range),
    /** Oldest first; null: undecided ones. */
    page: (decision: "granted" | "denied" | null, range: Range) =>
      pageIn(
        appeals,
        decision === null ? { isOpen: true } : { status: decision },
        { createdAt: 1, _id: 1 },
        range,
      ),
    queue: async (now: Date, decidedSince: Date): Promise<QueueFigures> => {
      const [waiting, claimed, oldest, decided] = await Promise.all([
        appeals.countDocuments({ isOpen: true }),
        appeals.countDocuments({ status: "claimed", claimedAt: { $gt: claimedSince(now) } }),
        appeals.findOne({ isOpen: true }, { sort: { createdAt: 1 }, projection: { createdAt: 1 } }),
        appeals.countDocuments({ decidedAt: { $gte: decidedSince } }),
      ]);
      return { waiting, claimed, oldestAt: oldest?.createdAt ?? null, decided };
    },
    /** Null when someone else holds it, or it is decided; claiming again renews one's own claim. */
    claim: (appealId: string, by: string, now: Date, session: ClientSession) =>
      appeals.findOneAndUpdate(
        {
          _id: appealId,
          isOpen: true,
          $or: [
            { status: "open" },
            { claimedBy: by },
            { status: "claimed", claimedAt: { $lte: claimedSince(now) } },
          ],
        },
        { $set: { status: "claimed", claimedBy: by, claimedAt: now } },
        { returnDocument: "after", session },
      ),
    /** Null unless that user holds it. */
    release: (appealId: string, by: string, now: Date, session: ClientSession) =>
      appeals.findOneAndUpdate(
        { _id: appealId, ...heldBy(by, now) },
        { $set: { status: "open", claimedBy: null, claimedAt: null } },
        { returnDocument: "after", session },
      ),
    /** Null unless that user holds it. */
    decide: (
      appealId: string,
      { status, by, note, at }: { status: "granted" | "denied"; by: string; note: string; at: Date },
      session: ClientSession,
    ) =>
      appeals.findOneAndUpdate(
        { _id: appealId, ...heldBy(by, at) },
        { $set: { status, isOpen: false, note, decidedBy: by, decidedAt: at } },
        { returnDocument: "after", session },
      ),
  };
}
