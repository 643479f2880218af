/**
 * What happened on a channel, newest first. Nothing is written for it: the feed is merged from the collections that keep each kind.
 * Of several in the same millisecond those come first whose kind does.
 */
import type { Collection, Db, Document, Filter, WithId } from "mongodb";
import { type FollowDoc, followsCollection } from "../channels/follows.ts";
import { type HostingDoc, hostingCollection } from "../channels/hosting.ts";
import { cursorOf, type Order, valuesOf } from "../driver/cursor.ts";
import { type CursorPage, pageIn, placesPast, type Range } from "../driver/page.ts";
import { type CheckoutDoc, checkoutsCollection, PAID } from "../monetization/checkouts.ts";
import { type TipDoc, tipsCollection } from "../monetization/tips.ts";
import {
  REDEMPTIONS_NEWEST_FIRST,
  type RedemptionDoc,
  redemptionsCollection,
} from "../points/redemptions.ts";
import { DEPARTED, type RaidDoc, raidsCollection } from "../raids/raids.ts";

/** `at`: by which the feed is ordered. */
export type ActivityDoc = { at: Date } & (
  | { kind: "follow"; doc: FollowDoc }
  | { kind: "subscription" | "gift"; doc: CheckoutDoc }
  | { kind: "tip"; doc: TipDoc }
  | { kind: "raid"; doc: RaidDoc }
  | { kind: "host"; doc: HostingDoc }
  | { kind: "redemption"; doc: RedemptionDoc }
);
export type ActivityKind = ActivityDoc["kind"];

type Channel = { userId: string; streamId: string };
type Found = { id: string; activity: ActivityDoc };
type Source = {
  kind: ActivityKind;
  order: Order;
  read(range: Range): Promise<CursorPage<Found>>;
  /** At most the newest `limit` from `at` on. */
  since(at: Date, limit: number): Promise<ActivityDoc[]>;
};

/** So many can be reached by page number: those of a page are read with all before it. */
const MAX_PLACES = 1_000;
/** After every id. */
const LAST_ID = "\uffff";

export function activityFeedIn(db: Db) {
  /** `of`: null for what the filter leaves out. */
  const source = <Doc extends Document & { _id: string }>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
    {
      of,
      hint,
      ...rest
    }: Pick<Source, "kind" | "order"> & { hint?: Order; of(doc: WithId<Doc>): ActivityDoc | null },
  ): Source => ({
    ...rest,
    async since(at, limit) {
      const [time = "_id"] = Object.keys(rest.order);
      const docs = await collection
        // The driver's filter type can't express a field that a variable names; its own condition, that it is a date, follows.
        .find({ ...filter, [time]: { $gte: at } } as Filter<Doc>, hint ? { hint } : {})
        .sort(rest.order)
        .limit(limit)
        .toArray();
      return docs.flatMap((doc) => of(doc) ?? []);
    },
    async read(range) {
      const page = await pageIn(collection, filter, rest.order, { ...range, ...(hint ? { hint } : {}) });
      const items = page.items.flatMap((doc): Found[] => {
        const activity = of(doc);
        return activity ? [{ id: String(doc._id), activity }] : [];
      });
      return { ...page, items };
    },
  });

  const paid = (channelUserId: string, kind: "subscription" | "gift"): Source =>
    source(
      checkoutsCollection.in(db),
      { channelUserId, "order.kind": kind, paidAt: PAID },
      {
        kind,
        order: { paidAt: -1, _id: -1 },
        of: (doc) => doc.paidAt && { kind, at: doc.paidAt, doc },
      },
    );

  const sourcesOf = ({ userId, streamId }: Channel): Source[] => [
    source(
      followsCollection.in(db),
      { followingId: userId },
      {
        kind: "follow",
        order: { createdAt: -1, _id: 1 },
        of: (doc) => ({ kind: "follow", at: doc.createdAt, doc }),
      },
    ),
    paid(userId, "subscription"),
    paid(userId, "gift"),
    source(
      tipsCollection.in(db),
      { toUserId: userId, status: "completed", paidAt: PAID },
      {
        kind: "tip",
        order: { paidAt: -1, _id: -1 },
        of: (doc) => doc.paidAt && { kind: "tip", at: doc.paidAt, doc },
      },
    ),
    source(
      raidsCollection.in(db),
      { targetUserId: userId, startedAt: DEPARTED },
      {
        kind: "raid",
        order: { startedAt: -1, _id: -1 },
        of: (doc) => doc.startedAt && { kind: "raid", at: doc.startedAt, doc },
      },
    ),
    source(
      hostingCollection.in(db),
      { "hosted.targetStreamId": streamId },
      {
        kind: "host",
        order: { "hosted.startedAt": -1, _id: -1 },
        of: (doc) => doc.hosted && { kind: "host", at: doc.hosted.startedAt, doc },
      },
    ),
    source(
      redemptionsCollection.in(db),
      { channelUserId: userId },
      {
        kind: "redemption",
        order: { createdAt: -1, _id: -1 },
        hint: REDEMPTIONS_NEWEST_FIRST,
        of: (doc) => ({ kind: "redemption", at: doc.createdAt, doc }),
      },
    ),
  ];

  return {
    /** What happened from `at` on, of these kinds, oldest first, at most the newest `limit` of each: none pushes another out. */
    async since(
      channel: Channel,
      kinds: readonly ActivityKind[],
      at: Date,
      limit: number,
    ): Promise<ActivityDoc[]> {
      const wanted = sourcesOf(channel).filter(({ kind }) => kinds.includes(kind));
      const found = await Promise.all(wanted.map((one) => one.since(at, limit)));
      return found.flat().sort((a, b) => a.at.getTime() - b.at.getTime());
    },

    /** `kind` null: all. Throws `validation_failed` for a cursor of another form. */
    async page(channel: Channel, kind: ActivityKind | null, range: Range): Promise<CursorPage<ActivityDoc>> {
      const all = sourcesOf(channel);
      const past = placesPast(range);
      const isReachable = past < MAX_PLACES;
      const limit = isReachable ? past + range.limit : 1;
      const pages = await Promise.all(
        all.map(async (one, place) =>
          kind === null || one.kind === kind
            ? one.read({
                skip: 0,
                limit,
                before: range.before ? beginIn(one, place, range.before, all) : null,
              })
            : { items: [], total: 0, cursor: null },
        ),
      );
      const total = pages.reduce((sum, page) => sum + page.total, 0);
      if (!isReachable) return { items: [], total, cursor: null };
      // The sort is stable: in the order of kinds, and then of the source.
      const merged = pages
        .flatMap(({ items }) => items)
        .sort((a, b) => b.activity.at.getTime() - a.activity.at.getTime());
      const shown = merged.slice(past, limit);
      const isMore = merged.length > limit || pages.some(({ cursor }) => cursor !== null);
      const last = shown.at(-1);
      return {
        items: shown.map(({ activity }) => activity),
        total,
        cursor: isMore && last ? cursorOf([last.activity.at, last.activity.kind, last.id]) : null,
      };
    },
  };
}

/** The feed's cursor as one of this source: where what the feed hasn't shown yet begins in it. */
function beginIn({ order }: Source, place: number, cursor: string, all: readonly Source[]): string {
  const [at, kind, id] = valuesOf(cursor, 3);
  const shownUpTo = all.findIndex((one) => one.kind === kind);
  if (place === shownUpTo) return cursorOf([at, id]);
  const isShown = place < shownUpTo;
  // Of the same millisecond, all or none of its documents come.
  const ascends = order._id === 1;
  return cursorOf([at, isShown === ascends ? LAST_ID : ""]);
}
