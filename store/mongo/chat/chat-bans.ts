import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** A ban (`until` null) or a timeout; `_id` is "stream:user", so a ban replaces a timeout and the reverse. */
export type ChatBanDoc = {
  _id: string;
  streamId: string;
  userId: string;
  until: Date | null;
  reason: string | null;
  by: string;
  /** The report case in which staff set it; absent for a ban by the channel itself. */
  reportId?: string;
  createdAt: Date;
};

/** A ban or a timeout, which may have expired: `isInForce` says. */
export type BanUntil = Pick<ChatBanDoc, "userId" | "until">;

/** Bans always are, timeouts until they expire. */
export const isInForce = ({ until }: Pick<BanUntil, "until">, at: Date): boolean =>
  until === null || until > at;

const NEWEST_BANS = { streamId: 1, until: 1, createdAt: -1, _id: -1 } as const;

export const chatBansCollection = defineCollection<ChatBanDoc>("chat_bans", {
  personal: {
    erase: {
      userId: "delete",
      _id: { with: "userId" },
      streamId: { holds: "stream", does: "delete" },
      by: "anonymise",
    },
    exports: [{ by: "userId", shows: ["streamId", "until", "reason", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1, createdAt: -1, _id: -1 } }, // pageOf, export and erasure
    { key: { streamId: 1, until: 1, _id: 1 } }, // banPage, bansInForce, timeoutsPage
    { key: NEWEST_BANS }, // newestBansPage
  ],
  retired: [{ userId: 1 }],
});

const idOf = (streamId: string, userId: string) => `${streamId}:${userId}`;

export function chatBansIn(db: Db) {
  const bans = chatBansCollection.in(db);
  const within = (session?: ClientSession) => (session ? { session } : {});
  return {
    banOf: (streamId: string, userId: string, session?: ClientSession) =>
      bans.findOne({ _id: idOf(streamId, userId) }, within(session)),
    /** Bans and timeouts of these users, expired timeouts included. */
    bansOf: (streamId: string, userIds: string[]): Promise<ChatBanDoc[]> =>
      byIds(
        bans,
        userIds.map((userId) => idOf(streamId, userId)),
      ),
    /**
     * Bans and timeouts in force at `now`, in pages of at most `size`. One that changes in the meantime may be missing or come
     * twice.
     */
    async *bansInForce(streamId: string, now: Date, size: number): AsyncGenerator<BanUntil[]> {
      const found = bans
        .find({ streamId, $or: [{ until: null }, { until: { $gt: now } }] }, { batchSize: size })
        .project<BanUntil>({ _id: 0, userId: 1, until: 1 });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size);
      } finally {
        await found.close();
      }
    },
    banPage: (streamId: string, range: Range) => pageIn(bans, { streamId, until: null }, { _id: 1 }, range),
    /** Bans alone, newest first. */
    newestBansPage: (streamId: string, range: Range) =>
      pageIn(bans, { streamId, until: null }, { createdAt: -1, _id: -1 }, { ...range, hint: NEWEST_BANS }),
    /** Timeouts in force at `now`; the one that ends next comes first. */
    timeoutsPage: (streamId: string, now: Date, range: Range) =>
      pageIn(bans, { streamId, until: { $gt: now } }, { until: 1, _id: 1 }, range),
    /** The bans of these users, or, with `now`, their timeouts that are in force then; in no order. */
    restrictionsOf: (streamId: string, userIds: string[], now: Date | null) => {
      const _id = { $in: userIds.map((userId) => idOf(streamId, userId)) };
      return bans.find(now === null ? { _id, until: null } : { _id, until: { $gt: now } }).toArray();
    },
    /** A user's bans and timeouts in force at `now`, newest first. */
    pageOf: (userId: string, now: Date, range: Range) =>
      pageIn(
        bans,
        { userId, $or: [{ until: null }, { until: { $gt: now } }] },
        { createdAt: -1, _id: -1 },
        range,
      ),
    setBan: async (doc: Omit<ChatBanDoc, "_id">, session?: ClientSession) =>
      void (await bans.replaceOne({ _id: idOf(doc.streamId, doc.userId) }, doc, {
        upsert: true,
        ...within(session),
      })),
    /** Sets until when; of an existing one the author and reason stay. True when that changed something. */
    async restoreBan({
      streamId,
      userId,
      until,
      by,
      createdAt,
    }: Omit<ChatBanDoc, "_id" | "reason" | "reportId">) {
      const made = { streamId, userId, by, createdAt, reason: null };
      const { modifiedCount, upsertedCount } = await bans.updateOne(
        { _id: idOf(streamId, userId) },
        { $set: { until }, $setOnInsert: made },
        { upsert: true },
      );
      return modifiedCount + upsertedCount > 0;
    },
    /** True when there was one to lift; `kind` says whether only a ban or only a timeout is lifted. */
    dropBan: async (streamId: string, userId: string, kind: "ban" | "timeout", session?: ClientSession) =>
      (
        await bans.deleteOne(
          { _id: idOf(streamId, userId), until: kind === "ban" ? null : { $ne: null } },
          within(session),
        )
      ).deletedCount === 1,
  };
}

export type ChatBans = ReturnType<typeof chatBansIn>;
