import type { Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { followsCollection, followsIn } from "./follows.ts";
import { rankIn, windowOf } from "./stream-positions.ts";
import { LIVE_BY_USER, streamsCollection } from "./streams.ts";

/** How many of a user's newest follows are checked for being live; older ones are sorted by age alone. */
export const MAX_FOLLOWS_READ = 2_000;

/** The order of the live ones. */
export type FollowedOrder = "newest follow" | "viewers";

/** How many newest follows of a user, and how many newest follows of each of these, are read for recommendations. */
const MAX_FOLLOWEES = 50;
const MAX_FOLLOWS_OF_EACH = 20;

/** Follows combined with the state of the followed channels. */
export function followedChannelsIn(db: Db) {
  const collection = followsCollection.in(db);
  const follows = followsIn(db);
  const streams = streamsCollection.in(db);

  /** The live ones of these channels, in the given order, or by viewers. */
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
    // The sort is stable: with equal viewers the newest follow comes first.
    return found.sort((a, b) => (rankOf.get(b) ?? 0) - (rankOf.get(a) ?? 0));
  }

  return {
    /** Channel ids: live ones first, then by newest follow. */
    async pageLiveFirst(
      { followerId, order, now }: { followerId: string; order: FollowedOrder; now: Date },
      skip: number,
      limit: number,
    ): Promise<{ ids: string[]; total: number }> {
      const { ids: known } = await follows.followedBy(followerId, { skip: 0, limit: MAX_FOLLOWS_READ });
      const total = known.length < MAX_FOLLOWS_READ ? known.length : await follows.countFollowed(followerId);
      if (skip >= total) return { ids: [], total };
      const live = await liveOf(known, order, now);
      const isLive = new Set(live);
      const ids = [...live, ...known.filter((id) => !isLive.has(id))].slice(skip, skip + limit);
      // Follows past the limit weren't checked and keep their position by age.
      const from = Math.max(skip, MAX_FOLLOWS_READ);
      const behind = skip + limit - from;
      if (behind > 0 && total > MAX_FOLLOWS_READ)
        ids.push(...(await follows.followedBy(followerId, { skip: from, limit: behind })).ids);
      return { ids, total };
    },

    /** Live channels that a user follows, most viewers first. */
    async live(followerId: string, limit: number, now: Date): Promise<string[]> {
      const { ids: known } = await follows.followedBy(followerId, { skip: 0, limit: MAX_FOLLOWS_READ });
      return (await liveOf(known, "viewers", now)).slice(0, limit);
    },

    /** Channels followed by the users whom a user follows, with the number of those users; most first. */
    followedInCommon: (followerId: string, limit: number): Promise<{ channelId: string; by: number }[]> => {
      const newest = { $sort: { createdAt: -1, _id: 1 } };
      const theirs = {
        from: followsCollection.name,
        localField: "followingId",
        foreignField: "followerId",
        pipeline: [newest, { $limit: MAX_FOLLOWS_OF_EACH }, { $project: { _id: 0, followingId: 1 } }],
        as: "theirs",
      };
      return collection
        .aggregate<{ channelId: string; by: number }>([
          { $match: { followerId } },
          newest,
          { $limit: MAX_FOLLOWEES },
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
