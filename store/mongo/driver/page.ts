import type { Collection, Document, Filter, Hint, WithId } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { cursorAt, fieldsOf, filterAfter, type Order } from "./cursor.ts";

/** The range of items that a page has: after a cursor, or else past `skip` items. */
export type Range = { skip: number; limit: number; before?: string | null | undefined };

/** `cursor`: where the next page begins, null at the end. A list that is read without cursors has none. */
export type Page<Item> = { items: Item[]; total: number; cursor?: string | null | undefined };
/** Of a list that takes cursors; undefined where it is asked for in an order that moves. */
export type CursorPage<Item> = Page<Item> & { cursor: string | null | undefined };
/** `hint`: the index to use, where the planner might choose one without the sort order. */
type Window = Range & { hint?: Hint };
type Total = { count: number; at: number; isCounting: boolean };

/** Past this skip, ids are skipped instead of documents: ids are in the index. */
const MAX_DOCUMENT_SKIP = 200;
/** Lists whose totals are cached. */
const MAX_LISTS = 1_000;
const COUNT_TIMEOUT_MS = 2_500;

/**
 * Up to `exactUpTo` the total of a list is counted for each page. A larger total, which would take a scan of all keys, is cached,
 * and refreshed in the background when it is older than `rememberedMs`.
 */
export function createPages({ exactUpTo, rememberedMs }: { exactUpTo: number; rememberedMs: number }) {
  const totals = new Map<string, Total>();

  async function totalOf<Doc extends Document>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
  ): Promise<number> {
    const some = await collection.countDocuments(filter, { limit: exactUpTo + 1, ...byIdIfAll(filter) });
    if (some <= exactUpTo) return some;
    const key = `${collection.namespace} ${JSON.stringify(filter)}`;
    const known = totals.get(key);
    const isOld = !known || performance.now() - known.at > rememberedMs;
    // Only the first caller waits; afterwards a stale count is returned while it is refreshed.
    if (isOld && !known?.isCounting) {
      const counting = count(collection, filter, key, some);
      if (!known) return counting;
      void counting;
    }
    return Math.max(some, known?.count ?? 0);
  }

  /** If it takes too long, the old count stays. */
  async function count<Doc extends Document>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
    key: string,
    least: number,
  ): Promise<number> {
    const before = totals.get(key) ?? { count: least, at: Number.NEGATIVE_INFINITY, isCounting: true };
    totals.set(key, { ...before, isCounting: true });
    const all = await collection
      .countDocuments(filter, { maxTimeMS: COUNT_TIMEOUT_MS, ...byIdIfAll(filter) })
      .catch(() => before.count);
    totals.delete(key);
    totals.set(key, { count: all, at: performance.now(), isCounting: false });
    for (const oldest of totals.keys()) if (totals.size > MAX_LISTS) totals.delete(oldest);
    return all;
  }

  /**
   * One page in that order, and the number of documents on all pages; the index of the filter serves both. The order's last field
   * is unique, or a cursor could miss documents.
   */
  return async function pageIn<Doc extends Document>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
    order: Order,
    window: Window,
  ): Promise<CursorPage<WithId<Doc>>> {
    const [found, total] = await Promise.all([
      itemsIn(collection, filter, order, window),
      totalOf(collection, filter),
    ]);
    return { ...found, total };
  };
}

/**
 * Without a filter the ids are counted. The collection's own counter costs nothing, but after a crash of the server it stays at
 * the value of the last checkpoint.
 */
const byIdIfAll = (filter: object): { hint?: Hint } =>
  Object.keys(filter).length === 0 ? { hint: { _id: 1 } } : {};

export const pageIn = createPages({ exactUpTo: 10_000, rememberedMs: MINUTE_MS });

/** How many places are skipped: none after a cursor. */
export const placesPast = ({ skip, before }: Pick<Range, "skip" | "before">): number =>
  before === null || before === undefined ? skip : 0;

/** Reads one more than the page has: it isn't the last if there is one. */
async function itemsIn<Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Order,
  { skip, limit, hint, before }: Window,
): Promise<Pick<CursorPage<WithId<Doc>>, "items" | "cursor">> {
  const past = placesPast({ skip, before });
  const page = collection
    .find(filterAfter(filter, order, before), hint === undefined ? {} : { hint })
    .sort(order)
    .skip(past)
    .limit(limit + 1);
  if (past <= MAX_DOCUMENT_SKIP) {
    const docs = await page.toArray();
    return { items: docs.slice(0, limit), cursor: nextCursor(docs, order, limit) };
  }
  const rows = await page.project<Pick<WithId<Doc>, "_id">>({ _id: 1, ...fieldsOf(order) }).toArray();
  const ids = rows.slice(0, limit).map(({ _id }) => _id);
  // The driver's filter type can't express the type of `_id`.
  const these = { _id: { $in: ids } } as Filter<Doc>;
  const found = new Map((await collection.find(these).toArray()).map((doc) => [doc._id, doc]));
  return { items: ids.flatMap((id) => found.get(id) ?? []), cursor: nextCursor(rows, order, limit) };
}

/** The place after the page, of rows that were read one further than it goes; null if it is the last. */
export function nextCursor(rows: readonly Document[], order: Order, limit: number): string | null {
  const last = rows[limit - 1];
  return last && rows.length > limit ? cursorAt(order, last) : null;
}
