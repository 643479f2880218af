/** The range of items that a page has. */
export type Range = { skip: number; limit: number };

type PageRequest = Range & { page: number; perPage: number };

/** `total` counts the places of all pages, some of which may have no item. */
export type FoundPage<Item> = { items: Item[]; total: number };

/** The page of a validated query (spec §4). */
export function pageOf(query: { page?: number; per_page?: number }): PageRequest {
  const page = query.page ?? 1;
  const perPage = query.per_page ?? 24;
  // Any page may be requested, but a database takes no larger number than this.
  const skip = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  return { page, perPage, skip, limit: perPage };
}

/** The pagination wrapper (spec §4). */
export function paginated<Item>({ page, perPage, skip, limit }: PageRequest, found: FoundPage<Item>) {
  return {
    page,
    per_page: perPage,
    total: found.total,
    has_more: skip + limit < found.total,
    items: found.items,
  };
}

/** Maps each item of a page to its public form. */
export async function mapPage<Item, View>(
  found: Promise<FoundPage<Item>>,
  view: (item: Item) => View,
): Promise<FoundPage<View>> {
  const { items, total } = await found;
  return { items: items.map((item) => view(item)), total };
}

/** The same, if views need data that is read for all items at once; an item may have no view. */
export async function mapPageBatch<Item, View>(
  found: Promise<FoundPage<Item>>,
  views: (items: Item[]) => Promise<View[]>,
): Promise<FoundPage<View>> {
  const { items, total } = await found;
  return { items: await views(items), total };
}

/** A page of a list that is small enough to be read whole. */
export const sliceOf = <Item>(all: Item[], { skip, limit }: Range): FoundPage<Item> => ({
  items: all.slice(skip, skip + limit),
  total: all.length,
});
