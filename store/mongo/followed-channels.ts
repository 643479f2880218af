import type { Db } from "mongodb";
import { followsCollection } from "./follows.ts";
import { pageByStages } from "./page.ts";
import { streamsCollection } from "./streams.ts";

const liveFirst = [
  {
    $lookup: {
      from: streamsCollection.name,
      localField: "followingId",
      foreignField: "userId",
      pipeline: [{ $match: { isLive: true } }, { $project: { _id: 1 } }],
      as: "live",
    },
  },
  { $set: { isLive: { $size: "$live" } } },
  { $unset: "live" },
  { $sort: { isLive: -1, createdAt: -1, _id: 1 } },
];

/** Follows seen together with the state of what is followed. */
export function followedChannelsIn(db: Db) {
  const follows = followsCollection.in(db);
  return {
    /** Live channels first, then by the newest follow. Costs a look at each of the user's follows. */
    pageLiveFirst: (followerId: string, skip: number, limit: number) =>
      pageByStages(follows, { followerId }, liveFirst, { skip, limit }),
  };
}
