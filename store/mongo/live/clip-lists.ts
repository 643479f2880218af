import type { Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { filterAfter, refuseCursor } from "../driver/cursor.ts";
import { type CursorPage, nextCursor, placesPast, type Range } from "../driver/page.ts";
import { BY_DAY, type ClipDoc, clipsCollection, dayOf, ORDERS } from "./clips.ts";

export type ClipOrder = keyof typeof ORDERS;
/** A range of days. */
type Period = { since: Date; now: Date };

export type ClipList = {
  order: ClipOrder;
  /** Only this channel's clips; null for all channels. */
  channelUserId: string | null;
  /** Only clips made in that time; null for all. */
  period: Period | null;
  /** The viewer, who also sees unlisted clips that are their own or of their own channel. */
  viewerId: string | null;
};

/** Maximum length of a list, since counting and skipping cost as much as the length. Pages after it are empty. */
export const MAX_LISTED = 10_000;
/** The same for unlisted clips. */
const MAX_UNLISTED = 1_000;

/** One day more, for workers whose clocks are ahead. */
const daysIn = ({ since, now }: Period): number[] =>
  Array.from({ length: dayOf(now) - dayOf(since) + 2 }, (_, n) => dayOf(since) + n);

const madeIn = (period: Period | null) => (period ? { createdAt: { $gte: period.since } } : {});

/**
 * The indexes by which pages are read and counted: the planner would choose others, which scan all clips. A single channel has
 * few enough for that.
 */
function listedBy({ order, channelUserId, period }: ClipList) {
  const filter = { ...(channelUserId === null ? {} : { channelUserId }), isListed: true, ...madeIn(period) };
  const by = (one: ClipOrder) => ({
    ...(channelUserId === null ? {} : { channelUserId: 1 as const }),
    isListed: 1,
    ...ORDERS[one],
  });
  const count = { filter, hint: by("recent") };
  if (!period || order !== "views" || channelUserId !== null)
    return { read: { filter, hint: by(order) }, count };
  return { read: { filter: { ...filter, madeOn: { $in: daysIn(period) } }, hint: BY_DAY }, count };
}

/** Filters of the unlisted clips that the viewer sees. */
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

/** The same order as ORDERS gives in the database. */
const inOrder = (order: ClipOrder) => (one: ClipDoc, other: ClipDoc) =>
  PLACES[order](other) - PLACES[order](one) || (one._id < other._id ? 1 : -1);

export function clipListsIn(db: Db) {
  const clips = clipsCollection.in(db);

  /** Unlisted clips: of each filter as many as may appear up to the page's end, and the total count. */
  async function unlistedIn(list: ClipList, upTo: number, before: string | null) {
    const most = Math.min(MAX_UNLISTED, upTo);
    const parts = await Promise.all(
      unlistedBy(list).map(({ filter, hint }) =>
        Promise.all([
          clips
            .find(filterAfter(filter, ORDERS[list.order], before), { hint, ...inOneReply(most) })
            .sort(ORDERS[list.order])
            .limit(most)
            .toArray(),
          clips.countDocuments(filter, { limit: MAX_UNLISTED, hint }),
        ]),
      ),
    );
    const count = parts.reduce((sum, [, some]) => sum + some, 0);
    return { first: parts.flatMap(([docs]) => docs), count };
  }

  return {
    /** With cursors where the newest come first. Throws `validation_failed` for a cursor in another order. */
    async pageOf(list: ClipList, { limit, ...range }: Range): Promise<CursorPage<ClipDoc>> {
      const order = ORDERS[list.order];
      if (list.order !== "recent") refuseCursor(range);
      const after = range.before ?? null;
      const skip = placesPast(range);
      const { read, count } = listedBy(list);
      const [unlisted, listed] = await Promise.all([
        unlistedIn(list, skip + limit + 1, after),
        clips.countDocuments(count.filter, { limit: MAX_LISTED, hint: count.hint }),
      ]);
      const total = Math.min(listed + unlisted.count, MAX_LISTED);
      const left = after === null ? Math.min(limit, total - skip) : limit;
      const cursorOf = (rows: ClipDoc[]) =>
        list.order === "recent" ? nextCursor(rows, order, left) : undefined;
      if (left <= 0) return { items: [], total, cursor: cursorOf([]) };
      // At most this many unlisted clips may come before the page.
      const before = Math.min(unlisted.first.length, skip);
      const found = await clips
        .find(filterAfter(read.filter, order, after), { hint: read.hint, ...inOneReply(before + left + 1) })
        .sort(order)
        .skip(skip - before)
        .limit(before + left + 1)
        .toArray();
      const merged = [...unlisted.first, ...found].sort(inOrder(list.order)).slice(before);
      return { items: merged.slice(0, left), total, cursor: cursorOf(merged) };
    },
  };
}
