import type { Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { BY_DAY, type ClipDoc, clipsCollection, dayOf, ORDERS } from "./clips.ts";
import type { Page } from "./page.ts";

export type ClipOrder = keyof typeof ORDERS;
/** Some days. */
type Period = { since: Date; now: Date };

export type ClipList = {
  order: ClipOrder;
  /** Of one channel. */
  channelUserId: string | null;
  /** Made in that time; null for all. */
  period: Period | null;
  /** Who asks: sees what isn't listed of the own clips, and of those of the own channel. */
  viewerId: string | null;
};

/** Of a list at most: what is counted and skipped costs as much as it is. Pages behind it are empty. */
export const MOST_LISTED = 10_000;
/** Of those that aren't listed. */
const MOST_UNLISTED = 1_000;

/** One more, for workers whose clocks are ahead. */
const daysIn = ({ since, now }: Period): number[] =>
  Array.from({ length: dayOf(now) - dayOf(since) + 2 }, (_, n) => dayOf(since) + n);

const madeIn = (period: Period | null) => (period ? { createdAt: { $gte: period.since } } : {});

/**
 * By which index pages are read, and counted: the planner takes others, by which all clips are looked at. Of one channel there
 * are few enough for that.
 */
function listedBy({ order, channelUserId, period }: ClipList) {
  const filter = { ...(channelUserId === null ? {} : { channelUserId }), isListed: true, ...madeIn(period) };
  const by = (one: ClipOrder) => ({
    ...(channelUserId === null ? {} : { channelUserId: 1 as const }),
    ...{ isListed: 1, ...ORDERS[one] },
  });
  const count = { filter, hint: by("recent") };
  if (!period || order !== "views" || channelUserId !== null)
    return { read: { filter, hint: by(order) }, count };
  return { read: { filter: { ...filter, madeOn: { $in: daysIn(period) } }, hint: BY_DAY }, count };
}

/** What else the viewer sees. */
function unlistedBy({ order, channelUserId, viewerId, period }: ClipList) {
  if (viewerId === null) return [];
  const made = { isListed: false, ...madeIn(period) };
  const ofUser = { userId: 1, isListed: 1, ...ORDERS[order] };
  const ofChannel = { channelUserId: 1, isListed: 1, ...ORDERS[order] };
  const own = { filter: { userId: viewerId, ...made }, hint: ofUser };
  if (channelUserId === viewerId) return [{ filter: { channelUserId, ...made }, hint: ofChannel }];
  if (channelUserId !== null) return [{ filter: { ...own.filter, channelUserId }, hint: ofUser }];
  const ofOwnChannel = { channelUserId: viewerId, userId: { $ne: viewerId }, ...made };
  return [own, { filter: ofOwnChannel, hint: ofChannel }];
}

const PLACES = {
  trending: ({ score }: ClipDoc) => score,
  recent: ({ createdAt }: ClipDoc) => createdAt.getTime(),
  views: ({ viewsCount }: ClipDoc) => viewsCount,
} as const satisfies Record<ClipOrder, (clip: ClipDoc) => number>;

/** As the store does by ORDERS. */
const inOrder = (order: ClipOrder) => (one: ClipDoc, other: ClipDoc) =>
  PLACES[order](other) - PLACES[order](one) || (one._id < other._id ? 1 : -1);

export function clipListsIn(db: Db) {
  const clips = clipsCollection.in(db);

  /** The first of them, of each part as many as may come up to a page's end, and how many there are. */
  async function unlistedIn(list: ClipList, upTo: number): Promise<{ first: ClipDoc[]; count: number }> {
    const most = Math.min(MOST_UNLISTED, upTo);
    const parts = await Promise.all(
      unlistedBy(list).map(({ filter, hint }) =>
        Promise.all([
          clips
            .find(filter, { hint, ...inOneReply(most) })
            .sort(ORDERS[list.order])
            .limit(most)
            .toArray(),
          clips.countDocuments(filter, { limit: MOST_UNLISTED, hint }),
        ]),
      ),
    );
    const count = parts.reduce((sum, [, some]) => sum + some, 0);
    return { first: parts.flatMap(([docs]) => docs), count };
  }

  return {
    async pageOf(list: ClipList, skip: number, limit: number): Promise<Page<ClipDoc>> {
      const { read, count } = listedBy(list);
      const [unlisted, listed] = await Promise.all([
        unlistedIn(list, skip + limit),
        clips.countDocuments(count.filter, { limit: MOST_LISTED, hint: count.hint }),
      ]);
      const total = Math.min(listed + unlisted.count, MOST_LISTED);
      const left = Math.min(limit, total - skip);
      if (left <= 0) return { items: [], total };
      // So many of the unlisted ones may stand before the page.
      const before = Math.min(unlisted.first.length, skip);
      const found = await clips
        .find(read.filter, { hint: read.hint, ...inOneReply(before + left) })
        .sort(ORDERS[list.order])
        .skip(skip - before)
        .limit(before + left)
        .toArray();
      const merged = [...unlisted.first, ...found].sort(inOrder(list.order));
      return { items: merged.slice(before, before + left), total };
    },
  };
}
