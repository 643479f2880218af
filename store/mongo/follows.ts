import type { ClientSession, Db, IndexDescription } from "mongodb";

/** `_id` is "follower:following": following twice is one follow. */
export type FollowDoc = { _id: string; id: string; followerId: string; followingId: string; createdAt: Date };

export const followIndexes = [
  { key: { followingId: 1, createdAt: -1 } },
  { key: { followerId: 1, createdAt: -1 } },
] satisfies IndexDescription[];

const idOf = (followerId: string, followingId: string) => `${followerId}:${followingId}`;

export function followsIn(db: Db) {
  const follows = db.collection<FollowDoc>("follows");
  return {
    find: (followerId: string, followingId: string) =>
      follows.findOne({ _id: idOf(followerId, followingId) }),
    /** Keeps an existing follow as it is; `created` says whether this one is new. */
    async follow(doc: Omit<FollowDoc, "_id">, session?: ClientSession) {
      const { followerId, followingId } = doc;
      const before = await follows.findOneAndUpdate(
        { _id: idOf(followerId, followingId) },
        { $setOnInsert: doc },
        { upsert: true, returnDocument: "before", ...(session ? { session } : {}) },
      );
      return { follow: before ?? { _id: idOf(followerId, followingId), ...doc }, created: before === null };
    },
    unfollow: async (followerId: string, followingId: string) =>
      (await follows.deleteOne({ _id: idOf(followerId, followingId) })).deletedCount === 1,
    countFollowers: (followingId: string) => follows.countDocuments({ followingId }),
    async followingPage(followerId: string, skip: number, limit: number) {
      const [items, total] = await Promise.all([
        follows.find({ followerId }).sort({ createdAt: -1 }).skip(skip).limit(limit).toArray(),
        follows.countDocuments({ followerId }),
      ]);
      return { items, total };
    },
  };
}

export type Follows = ReturnType<typeof followsIn>;
