import type { IndexDescription } from "mongodb";

/**
 * Lists of live streams are read page by page while broadcasts begin and end, so a broadcast has a place in them:
 *
 * 1. It takes one when it begins, before all that are there, and keeps it for 30 to 60 s after its end. Up to then a page
 *    has fewer streams instead of pulling those behind it forward, where somebody who reads on would miss them.
 * 2. Places are given up together, at the end of a window of 30 s by the clock.
 * 3. By viewers the order is that of the window: each stream has its rank of this window and, counted during the second
 *    half of it, of the next one, so all ranks change in one instant.
 * 4. Workers of a release that knows no places turn streams on and off without them: `adopt` mends both.
 */
export type Place = {
  since: Date;
  /** `WHILE_LIVE`, or when the place is given up. */
  until: Date;
  /** Viewers by which it stands in even windows and in odd ones. */
  ranks: Record<Parity, number>;
};

type Parity = "even" | "odd";

export const WINDOW_MS = 30_000;
export const WHILE_LIVE = new Date(Date.UTC(9999, 0));

export const windowOf = (at: Date) => Math.floor(at.getTime() / WINDOW_MS);
/** The field of a stream by which lists by viewers are sorted in that window. */
export const rankIn = (window: number) => `place.ranks.${window % 2 === 0 ? "even" : "odd"}` as const;

/** That it has a place, as indexes have it: a condition on `place.until` itself would keep them from answering alone. */
export const isPlaced = { "place.since": { $gt: new Date(0) } };

export const streamPlaceIndexes = [
  { key: { "place.until": 1, isLive: 1 }, partialFilterExpression: isPlaced },
  { key: { "place.since": -1, _id: 1, "place.until": 1 }, partialFilterExpression: isPlaced },
  ...(["even", "odd"] as const).map((parity) => ({
    key: { [`place.ranks.${parity}`]: -1, "place.since": -1, _id: 1, "place.until": 1 } as const,
    partialFilterExpression: isPlaced,
  })),
] satisfies IndexDescription[];

/** For an update by aggregation: a broadcast that follows on one whose place isn't given up yet stands there. */
export function placeTaken(since: Date, now: Date) {
  const isKept = { $and: [{ $gt: ["$place.until", now] }, { $lt: ["$place.until", WHILE_LIVE] }] };
  return {
    since: { $cond: [isKept, "$place.since", since] },
    until: WHILE_LIVE,
    ranks: { $cond: [isKept, "$place.ranks", { even: 0, odd: 0 }] },
  };
}

/** For an update by aggregation: the broadcast has ended at that time. */
export function placeLeft(at: Date) {
  const until = new Date((windowOf(at) + 2) * WINDOW_MS);
  return { $cond: [{ $gt: ["$place.until", null] }, { $mergeObjects: ["$place", { until }] }, "$$REMOVE"] };
}
