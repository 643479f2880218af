import type { Collection, Document, Filter, Hint, Sort, WithId } from "mongodb";
import { MINUTE_MS } from "../durations.ts";

export type Page<Item> = { items: Item[]; total: number };
/** `hint`: the index to use, where the planner might choose one without the sort order. */
type Window = { skip: number; limit: number; hint?: Hint };
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

  /** One page in that order, and the number of documents on all pages; the index of the filter serves both. */
  return async function pageIn<Doc extends Document>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
    order: Sort,
    window: Window,
  ): Promise<Page<WithId<Doc>>> {
    const [items, total] = await Promise.all([
      itemsIn(collection, filter, order, window),
      totalOf(collection, filter),
    ]);
    return { items, total };
  };
}

/**
 * Without a filter the ids are counted. The collection's own counter costs nothing, but after a crash of the server it stays at
 * the value of the last checkpoint.
 */
const byIdIfAll = (filter: object): { hint?: Hint } =>
  Object.keys(filter).length === 0 ? { hint: { _id: 1 } } : {};

export const pageIn = createPages({ exactUpTo: 10_000, rememberedMs: MINUTE_MS });

async function itemsIn<Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Sort,
  { skip, limit, hint }: Window,
): Promise<WithId<Doc>[]> {
  const options = hint === undefined ? {} : { hint };
  const page = collection.find(filter, options).sort(order).skip(skip).limit(limit);
  if (skip <= MAX_DOCUMENT_SKIP) return page.toArray();
  const ids = (await page.project<Pick<WithId<Doc>, "_id">>({ _id: 1 }).toArray()).map(({ _id }) => _id);
  // The driver's filter type can't express the type of `_id`.
  const these = { _id: { $in: ids } } as Filter<Doc>;
  const found = new Map((await collection.find(these).toArray()).map((doc) => [doc._id, doc]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
