import type { ClientSession, Db } from "mongodb";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

const POINTS_REASONS = [
  "presence",
  "follow",
  "bonus",
  "streak",
  "raid",
  "bet",
  "payout",
  "redemption",
  "refund",
] as const;
const STAKES: readonly PointsReason[] = ["bet", "payout", "refund"];
export type PointsReason = (typeof POINTS_REASONS)[number];

/** One movement of points in one account. Written once, never changed: a correction is an entry of its own. */
export type LedgerDoc = {
  /**
   * The key that makes it happen at most once, from the general to the special: "follow:<follower>:<channel>",
   * "bet:<prediction>:<operation>", "payout:<prediction>:<user>", "redemption:<reward>:<redemption>",
   * "raid:<broadcast of the target>:<user>".
   */
  _id: string;
  userId: string;
  channelUserId: string;
  /** Counts the entries of the account from 1. */
  seq: number;
  delta: number;
  reason: PointsReason;
  /** What it was for: a prediction's, a redemption's, a stream's or a broadcast's id. */
  ref: string | null;
  balanceAfter: number;
  createdAt: Date;
};

export const ledgerCollection = defineCollection<LedgerDoc>("ledger", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete", _id: { with: "userId" } },
    exports: [
      { by: "userId", shows: ["channelUserId", "delta", "reason", "ref", "balanceAfter", "createdAt"] },
    ],
  },

  indexes: [
    { key: { userId: 1, channelUserId: 1, seq: -1 }, unique: true }, // page
    { key: { channelUserId: 1, createdAt: 1, delta: 1 } }, // activity, which reads nothing else; erasure
  ],
});

export function ledgerIn(db: Db) {
  const ledger = ledgerCollection.in(db);
  return {
    find: (key: string, session?: ClientSession) => ledger.findOne({ _id: key }, session ? { session } : {}),
    /** The entries with these keys, in any order. */
    findMany: (keys: string[], session: ClientSession) => byIds(ledger, keys, session),
    /** An entry with a known key is a duplicate key, and nothing of the transaction happens. */
    async insert(entries: LedgerDoc[], session: ClientSession): Promise<void> {
      if (entries.length > 0) await ledger.insertMany(entries, { session, ordered: true });
    },
    /** Newest first. */
    page(userId: string, channelUserId: string, skip: number, limit: number) {
      const filter = { userId, channelUserId };
      return pageIn(ledger, filter, { seq: -1 }, { skip, limit });
    },
    /** The sum of a prediction's entries, found by their keys: 0 when it is closed and settled. */
    async sumOfPrediction(id: string): Promise<number> {
      // ";" is what comes after ":".
      const ranges = STAKES.map((reason) => ({ _id: { $gte: `${reason}:${id}:`, $lt: `${reason}:${id};` } }));
      const sum = { $group: { _id: null, sum: { $sum: "$delta" } } };
      const [total] = await ledger.aggregate<{ sum: number }>([{ $match: { $or: ranges } }, sum]).toArray();
      return total?.sum ?? 0;
    },
  };
}
