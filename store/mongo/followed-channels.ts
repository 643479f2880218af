import type { Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { followsCollection, followsIn } from "./follows.ts";
import { rankIn, windowOf } from "./stream-positions.ts";
import { LIVE_BY_USER, streamsCollection } from "./streams.ts";

/** So many of a user's follows, the newest, are looked at for who is live; those behind stand by their age alone. */
export const LOOKED_AT = 2_000;

/** Whose broadcast comes first among the live ones. */
export type FollowedOrder = "newest follow" | "viewers";

/** Newest follows whose own newest follows are looked at, and how many of these. */
const PEOPLE = 50;
const OF_EACH = 20;

/** Follows seen together with the state of what is followed. */
export function followedChannelsIn(db: Db) {
  const collection = followsCollection.in(db);
  const follows = followsIn(db);
  const streams = streamsCollection.in(db);

  /** Those of the channels that are live, in the order in which they are given, or by their viewers. */
  async function liveOf(channelIds: string[], order: FollowedOrder, now: Date): Promise<string[]> {
    if (channelIds.length === 0) return [];
    const live = await streams
      .find({ userId: { $in: channelIds }, isLive: true }, inOneReply(channelIds.length))
      .hint(LIVE_BY_USER)
      .project<{ userId: string; rank?: number }>({ _id: 0, userId: 1, rank: `$${rankIn(windowOf(now))}` })
      .toArray();
    const rankOf = new Map(live.map(({ userId, rank }) => [userId, rank ?? 0]));
    const found = channelIds.filter((id) => rankOf.has(id));
    if (order === "newest follow") return found;
    // Stable: of as many viewers the newest follow comes first.
    return found.sort((a, b) => (rankOf.get(b) ?? 0) - (rankOf.get(a) ?? 0));
  }

  return {
    /** Ids of channels: live ones first, then by the newest follow. */
    async pageLiveFirst(
      { followerId, order, now }: { followerId: string; order: FollowedOrder; now: Date },
      skip: number,
      limit: number,
    ): Promise<{ ids: string[]; total: number }> {
      const known = await follows.followedBy(followerId, 0, LOOKED_AT);
      const total = known.length < LOOKED_AT ? known.length : await follows.countFollowed(followerId);
      if (skip >= total) return { ids: [], total };
      const live = await liveOf(known, order, now);
      const isLive = new Set(live);
      const ids = [...live, ...known.filter((id) => !isLive.has(id))].slice(skip, skip + limit);
      // Behind those that were looked at each stands where it stands by its age.
      const from = Math.max(skip, LOOKED_AT);
      const behind = skip + limit - from;
      if (behind > 0 && total > LOOKED_AT) ids.push(...(await follows.followedBy(followerId, from, behind)));
      return { ids, total };
    },

    /** Live channels that a user follows, those with most viewers first. */
    async live(followerId: string, limit: number, now: Date): Promise<string[]> {
      const known = await follows.followedBy(followerId, 0, LOOKED_AT);
      return (await liveOf(known, "viewers", now)).slice(0, limit);
    },

    /** Channels that are followed by those whom a user follows, with how many of them; the most first. */
    followedInCommon: (followerId: string, limit: number): Promise<{ channelId: string; by: number }[]> => {
      const newest = { $sort: { createdAt: -1, _id: 1 } };
      const theirs = {
        ...{ from: followsCollection.name, localField: "followingId", foreignField: "followerId" },
        pipeline: [newest, { $limit: OF_EACH }, { $project: { _id: 0, followingId: 1 } }],
        as: "theirs",
      };
      return collection
        .aggregate<{ channelId: string; by: number }>([
          { $match: { followerId } },
          newest,
          { $limit: PEOPLE },
          { $lookup: theirs },
          { $unwind: "$theirs" },
          { $group: { _id: "$theirs.followingId", by: { $sum: 1 } } },
          { $sort: { by: -1, _id: 1 } },
          { $limit: limit },
          { $project: { _id: 0, channelId: "$_id", by: 1 } },
        ])
        .toArray();
    },
  };
}
