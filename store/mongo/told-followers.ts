import type { Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { type FollowDoc, followsCollection } from "./follows.ts";
import type { ToldUpTo } from "./notification-facts.ts";

export type ToldFollower = Pick<FollowDoc, "_id" | "followerId" | "followingId" | "createdAt">;

/**
 * Who followed a channel at a time, the newest follow first, behind the follower up to whom it was told. Followers of one
 * moment have an order too, so that each comes once.
 */
export function followersBefore(
  db: Db,
  channelUserId: string,
  { at, after, limit }: { at: Date; after: ToldUpTo | null; limit: number },
): Promise<ToldFollower[]> {
  const followingId = channelUserId;
  // Both are ranges of the index, which are merged in its order.
  const behind = after && {
    $or: [
      { followingId, createdAt: after.createdAt, _id: { $gt: after.followId } },
      { followingId, createdAt: { $lt: after.createdAt } },
    ],
  };
  return followsCollection
    .in<ToldFollower>(db)
    .find(behind ?? { followingId, createdAt: { $lte: at } }, {
      ...inOneReply(limit),
      projection: { followerId: 1, followingId: 1, createdAt: 1 },
    })
    .sort({ createdAt: -1, _id: 1 })
    .limit(limit)
    .toArray();
}
