import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** One ban of an account; lifted ones are kept. */
export type AccountBanDoc = {
  _id: string;
  userId: string;
  reason: string;
  /** Null for an operator at the terminal. */
  by: string | null;
  /** The report case that led to it. */
  reportId: string | null;
  /** The strike that exceeded the limit. */
  strikeId: string | null;
  createdAt: Date;
  /** At most one per user. */
  isCurrent: boolean;
  liftedAt: Date | null;
  liftedBy: string | null;
  /** Set a moment after the ban, once its sessions and its broadcast are confirmed to have ended. */
  isEnforced: boolean;
  /** After a failed attempt: the sweep doesn't retry before this. */
  retryAt?: Date;
};

export const accountBansCollection = defineCollection<AccountBanDoc>("account_bans", {
  personal: {
    erase: { userId: "delete", by: "anonymise", liftedBy: "anonymise" },
    exports: [{ by: "userId", shows: ["_id", "reason", "createdAt", "isCurrent", "liftedAt"] }],
  },

  indexes: [
    { key: { userId: 1 }, unique: true, partialFilterExpression: { isCurrent: true }, name: "one_a_user" }, // currentOf, currentAfter
    { key: { createdAt: 1 }, partialFilterExpression: { isEnforced: false } }, // unenforced
    { key: { userId: 1, createdAt: -1, _id: -1 } }, // pageOf
  ],
});

export function accountBansIn(db: Db) {
  const bans = accountBansCollection.in(db);
  const batchedFind = batchedFinds(db);
  const within = (session?: ClientSession) => (session ? { session } : {});
  return {
    insert: async (doc: AccountBanDoc, session: ClientSession) =>
      void (await bans.insertOne(doc, { session })),
    find: (banId: string) => bans.findOne({ _id: banId }),
    currentOf: (userId: string, session?: ClientSession) =>
      bans.findOne({ userId, isCurrent: true }, within(session)),
    currentAmong: (userIds: string[]) => bans.find({ userId: { $in: userIds }, isCurrent: true }).toArray(),
    /** The newest first, also those that were lifted. */
    pageOf: (userId: string, range: Range) => pageIn(bans, { userId }, { createdAt: -1, _id: -1 }, range),
    /** Banned users after `userId`, ordered by id. */
    currentAfter: async (userId: string, limit: number) =>
      (
        await batchedFind(
          bans,
          { isCurrent: true, userId: { $gt: userId } },
          { sort: { userId: 1 }, limit, projection: { userId: 1 } },
        )
      ).map((ban) => ban.userId),
    /** The lifted ban, or null. */
    lift: (userId: string, liftedBy: string | null, liftedAt: Date, session: ClientSession) =>
      bans.findOneAndUpdate(
        { userId, isCurrent: true },
        { $set: { isCurrent: false, isEnforced: true, liftedAt, liftedBy } },
        { session },
      ),
    /** Oldest first, without those that wait for a retry. */
    unenforced: (now: Date, limit: number) =>
      batchedFind(
        bans,
        { isEnforced: false, retryAt: { $not: { $gt: now } } },
        { sort: { createdAt: 1 }, limit },
      ),
    retry: async (banId: string, retryAt: Date) =>
      void (await bans.updateOne({ _id: banId }, { $set: { retryAt } })),
    setEnforced: async (banId: string) =>
      void (await bans.updateOne({ _id: banId }, { $set: { isEnforced: true } })),
  };
}

export type AccountBans = ReturnType<typeof accountBansIn>;
