import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

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

/** One movement of points in one account. Immutable: a correction is an entry of its own. */
export type LedgerDoc = {
  /**
   * Idempotency key, from the general to the specific: "follow:<follower>:<channel>",
   * "bet:<prediction>:<operation>", "payout:<prediction>:<user>", "redemption:<reward>:<redemption>",
   * "raid:<broadcast of the target>:<user>".
   */
  _id: string;
  userId: string;
  channelUserId: string;
  /** Number of the entry in its account, from 1. */
  seq: number;
  delta: number;
  reason: PointsReason;
  /** The id of what it was for: a prediction, a redemption, a stream or a broadcast. */
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
    /** An existing key causes a duplicate key, and the whole transaction fails. */
    async insert(entries: LedgerDoc[], session: ClientSession): Promise<void> {
      if (entries.length > 0) await ledger.insertMany(entries, { session, ordered: true });
    },
    /** Newest first. */
    page(userId: string, channelUserId: string, range: Range) {
      const filter = { userId, channelUserId };
      return pageIn(ledger, filter, { seq: -1 }, range);
    },
    /** The sum of a prediction's entries, found by their keys: 0 when it is closed and settled. */
    async sumOfPrediction(id: string): Promise<number> {
      // ";" is the character after ":".
      const ranges = STAKES.map((reason) => ({ _id: { $gte: `${reason}:${id}:`, $lt: `${reason}:${id};` } }));
      const sum = { $group: { _id: null, sum: { $sum: "$delta" } } };
      const [total] = await ledger.aggregate<{ sum: number }>([{ $match: { $or: ranges } }, sum]).toArray();
      return total?.sum ?? 0;
    },
  };
}
