import type { Db, Filter } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { isListed, positionEnded, rankIn, WHILE_LIVE, WINDOW_MS, windowOf } from "./stream-positions.ts";
import { type StreamDoc, streamsCollection, tagFrom } from "./streams.ts";

/** Positions up to which they are counted for each page; of more, the last count is good enough for a second. */
const COUNTED_EACH_TIME = 1_000;
const COUNT_KEPT_MS = 1_000;
const MOST_COUNTS = 100;

/** Ten thousand streams take about a second. */
const LONGEST_RANKING_MS = 3_000;

/** What lists show of a stream: reading the rest of it would cost more than all else. */
export const SHOWN = {
  ...{ userId: 1, name: 1, thumbnailUrl: 1, categoryId: 1, language: 1, isMature: 1, tags: 1 },
  ...{ isLive: 1, viewerCount: 1, updatedAt: 1 },
} as const;

export type ListedStream = Pick<StreamDoc, "_id" | keyof typeof SHOWN>;

/** Streams of any of the categories. */
export type LiveFilter = { categoryIds?: string[]; language?: string; tag?: string; isMature?: boolean };
export type LiveOrder = "recent" | "viewers";
type Sorted = Record<string, 1 | -1>;
export type LivePage = { filter: LiveFilter; order: LiveOrder; skip: number; limit: number };

export function listedStreamsIn(db: Db) {
  const streams = streamsCollection.in(db);
  const counts = new Map<string, { count: number; at: number }>();

  return {
    /**
     * The live streams of one page, which may be fewer than `limit` before the end, and how many positions there are up to
     * the last live one.
     */
    async page({ filter, order, skip, limit }: LivePage, now: Date) {
      const { categoryIds, language, tag, isMature } = filter;
      const wanted: Filter<StreamDoc> = {
        ...isListed,
        "place.until": { $gt: now },
        ...(categoryIds === undefined ? {} : { categoryId: { $in: categoryIds } }),
        ...(language === undefined ? {} : { language }),
        ...(tag === undefined ? {} : { tags: tagFrom(tag) }),
        ...(isMature === undefined ? {} : { isMature }),
      };
      const first = order === "recent" ? "place.since" : rankIn(windowOf(now));
      const forwards: Sorted = { [first]: -1, "place.since": -1, _id: 1 };
      const backwards: Sorted = { [first]: 1, "place.since": 1, _id: -1 };
      const counted = countKept(JSON.stringify([filter, first]), () =>
        countUpToLive(wanted, first, backwards),
      );
      // Behind the end the index isn't scanned in vain.
      if (skip > 0 && skip >= (await counted)) return { items: [], total: await counted };
      // Ids first: what is skipped then costs no more than its index entry.
      const ids = streams
        .find(wanted)
        .sort(forwards)
        .skip(skip)
        .limit(limit)
        .project<{ _id: string }>({ _id: 1 });
      const [page, total] = await Promise.all([ids.toArray(), counted]);
      return { items: await liveOf(page.map(({ _id }) => _id)), total };
    },

    /** These, live or not, in no order. */
    byIds: (ids: string[]) =>
      streams
        .find({ _id: { $in: ids } }, inOneReply(ids.length))
        .project<ListedStream>(SHOWN)
        .toArray(),
    /** Those of these channels, live or not, in no order. */
    ofUsers: (userIds: string[]) =>
      streams
        .find({ userId: { $in: userIds } }, inOneReply(userIds.length))
        .project<ListedStream>(SHOWN)
        .toArray(),

    /**
     * Gives positions to live streams that have none, and ends those of streams that aren't live any more: workers of a
     * release without positions leave both behind.
     */
    async adopt(now: Date): Promise<void> {
      const place = {
        since: { $ifNull: ["$liveSince", now] },
        until: WHILE_LIVE,
        ranks: { even: "$viewerCount", odd: "$viewerCount" },
      };
      await streams.updateMany({ isLive: true, "place.since": { $exists: false } }, [{ $set: { place } }]);
      await streams.updateMany({ ...isListed, "place.until": WHILE_LIVE, isLive: false }, [
        { $set: { place: positionEnded(now) } },
      ]);
    },

    /** Frees the positions that are due; in the second half of a window, computes the ranks of the next one. */
    async keep(now: Date): Promise<void> {
      await streams.updateMany({ ...isListed, "place.until": { $lte: now } }, { $unset: { place: "" } });
      const into = now.getTime() % WINDOW_MS;
      // An update begun at the end would still run in the next window.
      if (into < WINDOW_MS / 2 || into > WINDOW_MS - LONGEST_RANKING_MS) return;
      const rank = rankIn(windowOf(now) + 1);
      const isOther = { isLive: true, ...isListed, $expr: { $ne: ["$viewerCount", `$${rank}`] } };
      await streams.updateMany(isOther, [{ $set: { [rank]: "$viewerCount" } }]);
    },
  };

  async function countKept(key: string, count: () => Promise<number>): Promise<number> {
    const known = counts.get(key);
    if (known && performance.now() - known.at < COUNT_KEPT_MS) return known.count;
    const counted = await count();
    counts.delete(key);
    if (counted > COUNTED_EACH_TIME) counts.set(key, { count: counted, at: performance.now() });
    for (const oldest of counts.keys()) if (counts.size > MOST_COUNTS) counts.delete(oldest);
    return counted;
  }

  /** Those that are live, in that order. */
  async function liveOf(ids: string[]): Promise<ListedStream[]> {
    const found = await streams
      .find({ _id: { $in: ids }, isLive: true }, inOneReply(ids.length))
      .project<ListedStream>(SHOWN)
      .toArray();
    const byId = new Map(found.map((stream) => [stream._id, stream]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async function countUpToLive(wanted: Filter<StreamDoc>, first: string, backwards: Sorted): Promise<number> {
    const last = await streams
      .find({ ...wanted, isLive: true })
      .sort(backwards)
      .limit(1)
      .project<{ first: Date | number }>({ _id: 0, first: `$${first}` })
      .next();
    return last ? streams.countDocuments({ ...wanted, [first]: { $gte: last.first } }) : 0;
  }
}

export type ListedStreams = ReturnType<typeof listedStreamsIn>;
