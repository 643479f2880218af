import type { Db, Filter } from "mongodb";
import { isListed, rankIn, windowOf } from "../channels/stream-positions.ts";
import { type StreamDoc, streamsCollection } from "../channels/streams.ts";
import { inOneReply } from "../driver/bulk.ts";
import { LIST_PROJECTION, type ListedStream } from "./listed-streams.ts";

/** A live stream, with its rank: the viewers by which lists sort it in the current window of half a minute. */
export type Candidate = ListedStream & { rank: number };

/** The live streams with most viewers, of all or of some, in the same order as lists by viewers. */
export function liveCandidatesIn(db: Db) {
  const streams = streamsCollection.in(db);

  function most(of: Filter<StreamDoc>, limit: number, now: Date): Promise<Candidate[]> {
    const rank = rankIn(windowOf(now));
    return streams
      .find({ ...isListed, "place.until": { $gt: now }, isLive: true, ...of }, inOneReply(limit))
      .sort({ [rank]: -1, "place.since": -1, _id: 1 })
      .limit(limit)
      .project<Candidate>({ ...LIST_PROJECTION, rank: `$${rank}` })
      .toArray();
  }

  return {
    most: (limit: number, now: Date) => most({}, limit, now),
    mostIn: (categoryId: string, limit: number, now: Date) => most({ categoryId }, limit, now),
    mostSpeaking: (language: string, limit: number, now: Date) => most({ language }, limit, now),
    /** Live streams of these channels, in any order. */
    async ofUsers(userIds: string[], now: Date): Promise<Candidate[]> {
      if (userIds.length === 0) return [];
      const rank = rankIn(windowOf(now));
      return streams
        .find({ userId: { $in: userIds }, isLive: true }, inOneReply(userIds.length))
        .project<Candidate>({ ...LIST_PROJECTION, rank: { $ifNull: [`$${rank}`, 0] } })
        .toArray();
    },
  };
}
