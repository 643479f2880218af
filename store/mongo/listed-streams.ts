import type { Collection, Db, Filter } from "mongodb";
import { rankIn, WHILE_LIVE, WINDOW_MS, windowOf } from "./stream-places.ts";
import { type StreamDoc, tagFrom } from "./streams.ts";

export type LiveFilter = { categoryId?: string; language?: string; tag?: string; isMature?: boolean };
export type LiveOrder = "recent" | "viewers";
type Sorted = Record<string, 1 | -1>;
export type LivePage = { filter: LiveFilter; order: LiveOrder; skip: number; limit: number };

export function listedStreamsIn(db: Db) {
  const streams: Collection<StreamDoc> = db.collection("streams");

  return {
    /**
     * The live streams of one page, which may be fewer than `limit` before the end, and how many places there are up to
     * the last live one.
     */
    async page({ filter, order, skip, limit }: LivePage, now: Date) {
      const { categoryId, language, tag, isMature } = filter;
      const wanted: Filter<StreamDoc> = {
        "place.until": { $gt: now },
        ...(categoryId === undefined ? {} : { categoryId }),
        ...(language === undefined ? {} : { language }),
        ...(tag === undefined ? {} : { tags: tagFrom(tag) }),
        ...(isMature === undefined ? {} : { isMature }),
      };
      const first = order === "recent" ? "place.since" : rankIn(windowOf(now));
      const forwards: Sorted = { [first]: -1, "place.since": -1, _id: 1 };
      const backwards: Sorted = { [first]: 1, "place.since": 1, _id: -1 };
      const [places, total] = await Promise.all([
        streams.find(wanted).sort(forwards).skip(skip).limit(limit).toArray(),
        countUpToLive(wanted, first, backwards),
      ]);
      return { items: places.filter(({ isLive }) => isLive), total };
    },

    /** Gives up the places that are due, and once the window is half over takes the viewers counted as the next one's ranks. */
    async keep(now: Date): Promise<void> {
      await streams.updateMany({ "place.until": { $lte: now } }, { $unset: { place: "" } });
      // Those of a release that knew no places.
      const place = {
        since: { $ifNull: ["$liveSince", now] },
        until: WHILE_LIVE,
        ranks: { even: "$viewerCount", odd: "$viewerCount" },
      };
      await streams.updateMany({ isLive: true, place: { $exists: false } }, [{ $set: { place } }]);
      if (now.getTime() % WINDOW_MS < WINDOW_MS / 2) return;
      const rank = rankIn(windowOf(now) + 1);
      await streams.updateMany({ isLive: true, $expr: { $ne: ["$viewerCount", `$${rank}`] } }, [
        { $set: { [rank]: "$viewerCount" } },
      ]);
    },
  };

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
