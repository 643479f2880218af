import type { Db } from "mongodb";
import { type FollowDoc, followsCollection } from "../channels/follows.ts";
import { inOneReply } from "../driver/bulk.ts";
import type { FollowerCursor } from "./notification-facts.ts";

type FollowerRow = Pick<FollowDoc, "_id" | "followerId" | "followingId" | "createdAt" | "isMuted">;

/**
 * A channel's followers at a time, newest follow first, after the cursor of the last one who was notified. Follows with the same
 * time are ordered by id, so that each comes once. Those who don't want to be notified are included: the cursor counts them.
 */
export function followersBefore(
  db: Db,
  channelUserId: string,
  { at, after, limit }: { at: Date; after: FollowerCursor | null; limit: number },
): Promise<FollowerRow[]> {
  const followingId = channelUserId;
  // Both are index ranges, which the server merges in order.
  const behind = after && {
    $or: [
      { followingId, createdAt: after.createdAt, _id: { $gt: after.followId } },
      { followingId, createdAt: { $lt: after.createdAt } },
    ],
  };
  return followsCollection
    .in<FollowerRow>(db)
    .find(behind ?? { followingId, createdAt: { $lte: at } }, {
      ...inOneReply(limit),
      projection: { followerId: 1, followingId: 1, createdAt: 1, isMuted: 1 },
    })
    .sort({ createdAt: -1, _id: 1 })
    .limit(limit)
    .toArray();
}
