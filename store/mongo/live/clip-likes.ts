import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** `_id` is "clip:user", so liking is idempotent. */
type ClipLikeDoc = {
  _id: string;
  clipId: string;
  userId: string;
  channelUserId: string;
  createdAt: Date;
};

export const clipLikesCollection = defineCollection<ClipLikeDoc>("clip_likes", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete", _id: { with: "userId" } },
    exports: [{ by: "userId", shows: ["clipId", "createdAt"] }],
  },

  indexes: [
    { key: { userId: 1 } }, // someOf, export and erasure
    { key: { channelUserId: 1 } }, // erasure
    { key: { clipId: 1 } }, // removeSome
  ],
});

const idOf = (clipId: string, userId: string) => `${clipId}:${userId}`;

export function clipLikesIn(db: Db) {
  const likes = clipLikesCollection.in(db);
  return {
    find: (clipId: string, userId: string, session: ClientSession) =>
      likes.findOne({ _id: idOf(clipId, userId) }, { session }),
    /** A like created concurrently causes a duplicate key. */
    insert: async (like: Omit<ClipLikeDoc, "_id">, session: ClientSession) =>
      void (await likes.insertOne({ _id: idOf(like.clipId, like.userId), ...like }, { session })),
    remove: async ({ _id }: ClipLikeDoc, session: ClientSession): Promise<boolean> =>
      (await likes.deleteOne({ _id }, { session })).deletedCount > 0,
    /** Which of these clips the user likes. */
    async among(clipIds: readonly string[], userId: string): Promise<Set<string>> {
      const found = await byIds(
        likes,
        clipIds.map((clipId) => idOf(clipId, userId)),
      );
      return new Set(found.map(({ clipId }) => clipId));
    },
    /** Removes a batch of a deleted clip's likes. False when there were none. */
    async removeSome(clipId: string, limit: number): Promise<boolean> {
      const some = await likes
        .find({ clipId }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      if (some.length > 0) await likes.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
      return some.length > 0;
    },
    /** Likes of a user, at most `limit`, in no particular order. */
    someOf: (userId: string, limit: number) => likes.find({ userId }).limit(limit).toArray(),
  };
}
