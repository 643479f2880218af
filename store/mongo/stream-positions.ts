import type { IndexDescription } from "mongodb";

/**
 * Lists of live streams are read page by page while broadcasts begin and end, so a broadcast has a position in them, stored
 * as `place`:
 *
 * 1. It gets one when it begins, before all others, and keeps it for 30 to 60 s after its end. Until then a page has fewer
 *    streams instead of pulling those behind it forward, where a client that reads on would miss them.
 * 2. Positions are freed together, at the end of a window of 30 s by the clock.
 * 3. By viewers the order is that of the window: each stream has its rank of this window and, counted during the second
 *    half of it, of the next one, so all ranks change at once.
 * 4. Workers of a release without positions turn streams on and off without them: `adopt` mends both.
 */
export type ListPosition = {
  since: Date;
  /** `WHILE_LIVE`, or when the position is freed. */
  until: Date;
  /** Viewers by which it is sorted in even windows and in odd ones. */
  ranks: Record<Parity, number>;
};

type Parity = "even" | "odd";

export const WINDOW_MS = 30_000;
export const WHILE_LIVE = new Date(Date.UTC(9999, 0));

export const windowOf = (at: Date) => Math.floor(at.getTime() / WINDOW_MS);
/** The field of a stream by which lists by viewers are sorted in that window. */
export const rankIn = (window: number) => `place.ranks.${window % 2 === 0 ? "even" : "odd"}` as const;

/** That it has a position, as the partial indexes say it: a condition on `place.until` itself would keep them from covering. */
export const isListed = { "place.since": { $gt: new Date(0) } };

const isWithPosition = { partialFilterExpression: isListed };

/** Of all streams, of a category, of a language, with a tag, for adults or for everybody. */
const PARTS = [{}, { categoryId: 1 }, { language: 1 }, { tags: 1 }, { isMature: 1 }] as const;

export const streamPositionIndexes: IndexDescription[] = [
  { key: { "place.until": 1, isLive: 1 }, ...isWithPosition },
  ...PARTS.flatMap((part) => [
    { key: { ...part, "place.since": -1, _id: 1, "place.until": 1 } as const, ...isWithPosition },
    ...(["even", "odd"] as const).map((parity) => ({
      key: {
        ...part,
        ...{ [`place.ranks.${parity}`]: -1, "place.since": -1, _id: 1, "place.until": 1 },
      } as const,
      ...isWithPosition,
    })),
  ]),
];

/** For an update by aggregation: a broadcast that follows within that time keeps the position. */
export function positionTaken(since: Date, now: Date) {
  const isKept = { $and: [{ $gt: ["$place.until", now] }, { $lt: ["$place.until", WHILE_LIVE] }] };
  return {
    since: { $cond: [isKept, "$place.since", since] },
    until: WHILE_LIVE,
    ranks: { $cond: [isKept, "$place.ranks", { even: 0, odd: 0 }] },
  };
}

/** For an update by aggregation: the broadcast has ended at that time. */
export function positionEnded(at: Date) {
  const until = new Date((windowOf(at) + 2) * WINDOW_MS);
  return { $cond: [{ $gt: ["$place.until", null] }, { $mergeObjects: ["$place", { until }] }, "$$REMOVE"] };
}
