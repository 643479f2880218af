import type { Collection, Document, Filter, Hint, Sort, WithId } from "mongodb";

export type Page<Item> = { items: Item[]; total: number };
/** `hint`: the index to read by, where the planner may take one that doesn't give the order. */
type Window = { skip: number; limit: number; hint?: Hint };
type Total = { count: number; at: number; isCounting: boolean };

/** Past so many, ids are skipped instead of documents: they are in the index. */
const FEW = 200;
/** Lists whose totals are remembered. */
const MOST_LISTS = 1_000;
const COUNTS_WITHIN_MS = 2_500;

/**
 * Up to `exactUpTo` the total of a list is counted for each page. Of a longer one, of which counting would look at each key, it is
 * remembered, and counted anew beside a page once it is older than `rememberedMs`.
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
    // The first of all waits; afterwards a count that is some time old is good enough.
    if (isOld && !known?.isCounting) {
      const counting = count(collection, filter, key, some);
      if (!known) return counting;
      void counting;
    }
    return Math.max(some, known?.count ?? 0);
  }

  /** Where it takes too long, what is known stays. */
  async function count<Doc extends Document>(
    collection: Collection<Doc>,
    filter: Filter<Doc>,
    key: string,
    least: number,
  ): Promise<number> {
    const before = totals.get(key) ?? { count: least, at: Number.NEGATIVE_INFINITY, isCounting: true };
    totals.set(key, { ...before, isCounting: true });
    const all = await collection
      .countDocuments(filter, { maxTimeMS: COUNTS_WITHIN_MS, ...byIdIfAll(filter) })
      .catch(() => before.count);
    totals.delete(key);
    totals.set(key, { count: all, at: performance.now(), isCounting: false });
    for (const oldest of totals.keys()) if (totals.size > MOST_LISTS) totals.delete(oldest);
    return all;
  }

  /** One page in that order, and the number of documents on all pages; an index of the filter serves both. */
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
 * Of all documents the ids are counted. The collection's own counter costs nothing, but says for ever what it said at its last
 * checkpoint when the server was killed.
 */
const byIdIfAll = (filter: object): { hint?: Hint } =>
  Object.keys(filter).length === 0 ? { hint: { _id: 1 } } : {};

export const pageIn = createPages({ exactUpTo: 10_000, rememberedMs: 60_000 });

async function itemsIn<Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Sort,
  { skip, limit, hint }: Window,
): Promise<WithId<Doc>[]> {
  const options = hint === undefined ? {} : { hint };
  const page = collection.find(filter, options).sort(order).skip(skip).limit(limit);
  if (skip <= FEW) return page.toArray();
  const ids = (await page.project<Pick<WithId<Doc>, "_id">>({ _id: 1 }).toArray()).map(({ _id }) => _id);
  // The driver's filter type can't see what type its own _id has.
  const these = { _id: { $in: ids } } as Filter<Doc>;
  const found = new Map((await collection.find(these).toArray()).map((doc) => [doc._id, doc]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
