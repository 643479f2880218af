import type { CursorPage, Page as FoundPage, Range } from "../../store/mongo/page.ts";

/** Of a found page, `total` counts the places of all pages, some of which may have no item. */
export type { CursorPage, FoundPage, Range };

type PageRequest = Range & { page: number; perPage: number };

/** How many ranges without an item are passed over for one page. */
const MAX_EMPTY_RANGES = 100;

/** The page of a validated query (spec §4). */
export function pageOf(query: { page?: number; per_page?: number; before?: string }): PageRequest {
  const page = query.page ?? 1;
  const perPage = query.per_page ?? 24;
  // Any page may be requested, but a database takes no larger number than this.
  const skip = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  return { page, perPage, skip, limit: perPage, before: query.before ?? null };
}

/** The range after a page; null after the last. */
function rangeAfter({ skip, limit }: Range, { cursor, total }: FoundPage<unknown>): Range | null {
  if (cursor !== undefined) return cursor === null ? null : { skip: skip + limit, limit, before: cursor };
  return skip + limit < total ? { skip: skip + limit, limit, before: null } : null;
}

/**
 * The pagination wrapper (spec §4) of the items that `find` finds. Places without an item (an account that is banned, a broadcast that
 * has ended) make pages shorter. A page of them alone would look like the end, so it gets the items of the next range that has some.
 */
export async function paginated<Item>(
  request: PageRequest,
  { find, takesCursor }: { find(range: Range): Promise<FoundPage<Item>>; takesCursor: boolean },
) {
  let range: Range = request;
  let found = await find(range);
  let next = rangeAfter(range, found);
  for (let passed = 0; next && found.items.length === 0 && passed < MAX_EMPTY_RANGES; passed++) {
    range = next;
    found = await find(range);
    next = rangeAfter(range, found);
  }
  return {
    page: request.page,
    per_page: request.perPage,
    total: found.total,
    has_more: next !== null,
    ...(takesCursor && found.cursor !== undefined ? { before_cursor: found.cursor } : {}),
    items: found.items,
  };
}

/** Maps each item of a page to its public form. */
export function mapPage<Item, View>(
  found: Promise<CursorPage<Item>>,
  view: (item: Item) => View,
): Promise<CursorPage<View>>;
export function mapPage<Item, View>(
  found: Promise<FoundPage<Item>>,
  view: (item: Item) => View,
): Promise<FoundPage<View>>;
export async function mapPage<Item, View>(
  found: Promise<FoundPage<Item>>,
  view: (item: Item) => View,
): Promise<FoundPage<View>> {
  const { items, ...page } = await found;
  return { ...page, items: items.map((item) => view(item)) };
}

/** The same, if views need data that is read for all items at once; an item may have no view. */
export function mapPageBatch<Item, View>(
  found: Promise<CursorPage<Item>>,
  views: (items: Item[]) => Promise<View[]>,
): Promise<CursorPage<View>>;
export function mapPageBatch<Item, View>(
  found: Promise<FoundPage<Item>>,
  views: (items: Item[]) => Promise<View[]>,
): Promise<FoundPage<View>>;
export async function mapPageBatch<Item, View>(
  found: Promise<FoundPage<Item>>,
  views: (items: Item[]) => Promise<View[]>,
): Promise<FoundPage<View>> {
  const { items, ...page } = await found;
  return { ...page, items: await views(items) };
}

/** A page of a list that is small enough to be read whole. */
export const sliceOf = <Item>(all: Item[], { skip, limit }: Range): FoundPage<Item> => ({
  items: all.slice(skip, skip + limit),
  total: all.length,
});
