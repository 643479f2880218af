import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** A strike against an account; it counts until it expires or is revoked. */
export type StrikeDoc = {
  _id: string;
  userId: string;
  reason: string;
  by: string;
  /** The report case that led to it. */
  reportId: string | null;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  revokedBy: string | null;
};

export const strikesCollection = defineCollection<StrikeDoc>("strikes", {
  personal: {
    erase: { userId: "delete", by: "anonymise", revokedBy: "anonymise" },
    exports: [{ by: "userId", shows: ["_id", "reason", "createdAt", "expiresAt", "revokedAt"] }],
  },

  indexes: [{ key: { userId: 1, createdAt: -1, _id: -1 } }], // pageOf, countLive
});

export function strikesIn(db: Db) {
  const strikes = strikesCollection.in(db);
  const live = (now: Date) => ({ revokedAt: null, expiresAt: { $gt: now } });
  return {
    insert: async (doc: StrikeDoc, session: ClientSession) =>
      void (await strikes.insertOne(doc, { session })),
    find: (strikeId: string, session?: ClientSession) =>
      strikes.findOne({ _id: strikeId }, session ? { session } : {}),
    /** The newest first. */
    pageOf: (userId: string, range: Range) => pageIn(strikes, { userId }, { createdAt: -1, _id: -1 }, range),
    countLive: (userId: string, now: Date, session: ClientSession) =>
      strikes.countDocuments({ userId, ...live(now) }, { session }),
    /** By user; users without any are left out. */
    async liveAmong(userIds: string[], now: Date): Promise<Map<string, number>> {
      const counts = await strikes
        .aggregate<{ _id: string; count: number }>([
          { $match: { userId: { $in: userIds }, ...live(now) } },
          { $group: { _id: "$userId", count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(counts.map(({ _id, count }) => [_id, count]));
    },
    /** True when it was in force until this call. */
    revoke: async (strikeId: string, userId: string, revokedBy: string, at: Date, session: ClientSession) =>
      (
        await strikes.updateOne(
          { _id: strikeId, userId, ...live(at) },
          { $set: { revokedAt: at, revokedBy } },
          { session },
        )
      ).modifiedCount === 1,
  };
}
