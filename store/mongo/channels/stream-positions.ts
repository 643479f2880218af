import type { IndexDescription } from "mongodb";

/**
 * Lists of live streams are paged through while broadcasts begin and end, so a broadcast has a position in them, stored
 * as `place`:
 *
 * 1. It gets one when it begins, before all others, and keeps it for 30 to 60 s after its end. Until then pages have a gap
 *    instead of moving later streams forward, which a paging client would miss.
 * 2. Positions are freed together, at the end of a window of 30 s by the clock.
 * 3. The order by viewers is fixed for a window: each stream has a rank for the current window and, computed during its
 *    second half, one for the next window, so all ranks change at once.
 * 4. Workers of a release without positions turn streams live and offline without them: `adopt` repairs both.
 */
export type ListPosition = {
  since: Date;
  /** `WHILE_LIVE`, or when the position is freed. */
  until: Date;
  /** Viewers that it is sorted by in even and in odd windows. */
  ranks: Record<Parity, number>;
};

type Parity = "even" | "odd";

export const WINDOW_MS = 30_000;
export const WHILE_LIVE = new Date(Date.UTC(9999, 0));

export const windowOf = (at: Date) => Math.floor(at.getTime() / WINDOW_MS);
/** The field that lists by viewers are sorted by in that window. */
export const rankIn = (window: number) => `place.ranks.${window % 2 === 0 ? "even" : "odd"}` as const;

/** The condition for having a position, as in the partial indexes: one on `place.until` would keep them from covering queries. */
export const isListed = { "place.since": { $gt: new Date(0) } };

const isWithPosition = { partialFilterExpression: isListed };

/** For lists of all streams, by category, by language, by tag, and by maturity. */
const PARTS = [{}, { categoryId: 1 }, { language: 1 }, { tags: 1 }, { isMature: 1 }] as const;

export const streamPositionIndexes: IndexDescription[] = [
  { key: { "place.until": 1, isLive: 1 }, ...isWithPosition },
  ...PARTS.flatMap((part) => [
    { key: { ...part, "place.since": -1, _id: 1, "place.until": 1 } as const, ...isWithPosition },
    ...(["even", "odd"] as const).map((parity) => ({
      key: {
        ...part,
        [`place.ranks.${parity}`]: -1,
        "place.since": -1,
        _id: 1,
        "place.until": 1,
      } as const,
      ...isWithPosition,
    })),
  ]),
];

/** For an update pipeline: a broadcast that starts again before the position is freed keeps it. */
export function positionTaken(since: Date, now: Date) {
  const isKept = { $and: [{ $gt: ["$place.until", now] }, { $lt: ["$place.until", WHILE_LIVE] }] };
  return {
    since: { $cond: [isKept, "$place.since", since] },
    until: WHILE_LIVE,
    ranks: { $cond: [isKept, "$place.ranks", { even: 0, odd: 0 }] },
  };
}

/** For an update pipeline: the broadcast has ended at that time. */
export function positionEnded(at: Date) {
  const until = new Date((windowOf(at) + 2) * WINDOW_MS);
  return { $cond: [{ $gt: ["$place.until", null] }, { $mergeObjects: ["$place", { until }] }, "$$REMOVE"] };
}
