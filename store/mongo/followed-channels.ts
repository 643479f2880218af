import type { Db } from "mongodb";
import type { FollowDoc } from "./follows.ts";

/** Follows seen together with the state of what is followed. */
export function followedChannelsIn(db: Db) {
  const follows = db.collection<FollowDoc>("follows");
  return {
    /** Live channels first, then by the newest follow. Costs a look at each of the user's follows. */
    async pageLiveFirst(followerId: string, skip: number, limit: number) {
      const [items, total] = await Promise.all([
        follows
          .aggregate<FollowDoc>([
            { $match: { followerId } },
            {
              $lookup: {
                from: "streams",
                localField: "followingId",
                foreignField: "userId",
                pipeline: [{ $match: { isLive: true } }, { $project: { _id: 1 } }],
                as: "live",
              },
            },
            { $set: { isLive: { $size: "$live" } } },
            { $sort: { isLive: -1, createdAt: -1, _id: 1 } },
            { $skip: skip },
            { $limit: limit },
            { $unset: ["live", "isLive"] },
          ])
          .toArray(),
        follows.countDocuments({ followerId }),
      ]);
      return { items, total };
    },
  };
}

export type FollowedChannels = ReturnType<typeof followedChannelsIn>;
