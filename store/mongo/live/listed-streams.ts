import type { Db, Filter } from "mongodb";
import { tagFrom } from "../../../base/texts/tag.ts";
import {
  isListed,
  positionEnded,
  rankIn,
  WHILE_LIVE,
  WINDOW_MS,
  windowOf,
} from "../channels/stream-positions.ts";
import { type StreamDoc, streamsCollection } from "../channels/streams.ts";
import { inOneReply } from "../driver/bulk.ts";
import { fieldsOf, filterAfter, refuseCursor } from "../driver/cursor.ts";
import { type CursorPage, nextCursor, placesPast, type Range } from "../driver/page.ts";

/** Up to this total positions are counted for each page; a larger total is cached for COUNT_TTL_MS. */
const MAX_EXACT_COUNT = 1_000;
const COUNT_TTL_MS = 1_000;
const MAX_COUNTS = 100;

/** Limit for ranking; ten thousand streams take about a second. */
const MAX_RANKING_MS = 3_000;

/** The fields that lists show: reading whole streams would cost more than everything else. */
export const LIST_PROJECTION = {
  userId: 1,
  name: 1,
  thumbnailUrl: 1,
  categoryId: 1,
  language: 1,
  isMature: 1,
  tags: 1,
  isLive: 1,
  viewerCount: 1,
  updatedAt: 1,
} as const;

export type ListedStream = Pick<StreamDoc, "_id" | keyof typeof LIST_PROJECTION>;

/** Streams in any of the categories. */
export type LiveFilter = { categoryIds?: string[]; language?: string; tag?: string; isMature?: boolean };
export type LiveOrder = "recent" | "viewers";
const NEWEST_FIRST = { "place.since": -1, _id: 1 } as const;
type Sorted = Record<string, 1 | -1>;
export type LivePage = { filter: LiveFilter; order: LiveOrder } & Range;

/** Workers of the previous release store tags in lower case, but otherwise as they were sent. */
const formsOf = (tag: string): string[] => [...new Set([tagFrom(tag), tag.toLowerCase()])];

export function listedStreamsIn(db: Db) {
  const streams = streamsCollection.in(db);
  const counts = new Map<string, { count: number; at: number }>();

  return {
    /**
     * The live streams of one page, which may be fewer than `limit` before the end, and the number of positions up to the last
     * live one.
     */
    async page({ filter, order, limit, ...range }: LivePage, now: Date): Promise<CursorPage<ListedStream>> {
      if (order !== "recent") refuseCursor(range);
      const skip = placesPast(range);
      const { categoryIds, language, tag, isMature } = filter;
      const wanted: Filter<StreamDoc> = {
        ...isListed,
        "place.until": { $gt: now },
        ...(categoryIds === undefined ? {} : { categoryId: { $in: categoryIds } }),
        ...(language === undefined ? {} : { language }),
        ...(tag === undefined ? {} : { tags: { $in: formsOf(tag) } }),
        ...(isMature === undefined ? {} : { isMature }),
      };
      const first = order === "recent" ? "place.since" : rankIn(windowOf(now));
      const forwards: Sorted = { [first]: -1, "place.since": -1, _id: 1 };
      const backwards: Sorted = { [first]: 1, "place.since": 1, _id: -1 };
      const counted = cachedCount(JSON.stringify([filter, first]), () =>
        countUpToLive(wanted, first, backwards),
      );
      // No index scan for a page past the end.
      if (skip > 0 && skip >= (await counted))
        return { items: [], total: await counted, cursor: order === "recent" ? null : undefined };
      // Ids first: skipped streams then cost only their index entries.
      const ids = streams
        .find(filterAfter(wanted, NEWEST_FIRST, range.before))
        .sort(forwards)
        .skip(skip)
        .limit(limit + 1)
        .project<{ _id: string }>(fieldsOf(NEWEST_FIRST));
      const [rows, total] = await Promise.all([ids.toArray(), counted]);
      const items = await liveOf(rows.slice(0, limit).map(({ _id }) => _id));
      return { items, total, cursor: order === "recent" ? nextCursor(rows, NEWEST_FIRST, limit) : undefined };
    },

    /** These streams, live or not, in any order. */
    byIds: (ids: string[]) =>
      streams
        .find({ _id: { $in: ids } }, inOneReply(ids.length))
        .project<ListedStream>(LIST_PROJECTION)
        .toArray(),
    /** Streams of these channels, live or not, in any order. */
    ofUsers: (userIds: string[]) =>
      streams
        .find({ userId: { $in: userIds } }, inOneReply(userIds.length))
        .project<ListedStream>(LIST_PROJECTION)
        .toArray(),

    /**
     * Gives positions to live streams without one, and ends positions of streams that aren't live any more: workers of a
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

    /** Frees expired positions; in the second half of a window, computes the ranks of the next one. */
    async keep(now: Date): Promise<void> {
      await streams.updateMany({ ...isListed, "place.until": { $lte: now } }, { $unset: { place: "" } });
      const into = now.getTime() % WINDOW_MS;
      // An update started at the end would still be running in the next window.
      if (into < WINDOW_MS / 2 || into > WINDOW_MS - MAX_RANKING_MS) return;
      const rank = rankIn(windowOf(now) + 1);
      const isOther = { isLive: true, ...isListed, $expr: { $ne: ["$viewerCount", `$${rank}`] } };
      await streams.updateMany(isOther, [{ $set: { [rank]: "$viewerCount" } }]);
    },
  };

  async function cachedCount(key: string, count: () => Promise<number>): Promise<number> {
    const known = counts.get(key);
    if (known && performance.now() - known.at < COUNT_TTL_MS) return known.count;
    const counted = await count();
    counts.delete(key);
    if (counted > MAX_EXACT_COUNT) counts.set(key, { count: counted, at: performance.now() });
    for (const oldest of counts.keys()) if (counts.size > MAX_COUNTS) counts.delete(oldest);
    return counted;
  }

  /** The live ones, in the given order. */
  async function liveOf(ids: string[]): Promise<ListedStream[]> {
    const found = await streams
      .find({ _id: { $in: ids }, isLive: true }, inOneReply(ids.length))
      .project<ListedStream>(LIST_PROJECTION)
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
