import type { CursorPage, Page as FoundPage, Range } from "../../store/mongo/driver/page.ts";
import type { ListCursors } from "./list-cursors.ts";

/** Of a found page, `total` counts the places of all pages, some of which may have no item. */
export type { CursorPage, FoundPage, Range };

type PageRequest = Range & { page: number; perPage: number };

/** How many places are read at once to pass over those without an item. */
const STEP = 250;
/** What is passed over for one page, and for how long: a list has no bound, a request has one. */
const MAX_EMPTY_STEPS = 20;
const MAX_PASSING_MS = 500;

/**
 * The page of a validated query (docs/interface.md#4-requests-and-answers), of a list with these cursors. Throws
 * `validation_failed`.
 */
export function pageOf(
  query: { page?: number; per_page?: number; before?: string },
  cursors: ListCursors | null,
): PageRequest {
  const page = query.page ?? 1;
  const perPage = query.per_page ?? 24;
  // Any page may be requested, but a database takes no larger number than this.
  const skip = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  return {
    page,
    perPage,
    skip,
    limit: perPage,
    before: cursors && query.before ? cursors.decrypt(query.before) : null,
  };
}

/** The range after a page; null after the last. */
function rangeAfter({ skip, limit }: Range, { cursor, total }: FoundPage<unknown>): Range | null {
  if (cursor !== undefined) return cursor === null ? null : { skip: skip + limit, limit, before: cursor };
  return skip + limit < total ? { skip: skip + limit, limit, before: null } : null;
}

type List<Item> = {
  find(range: Range): Promise<FoundPage<Item>>;
  cursors: ListCursors | null;
  /** Ms, of a clock that isn't set. */
  now?: () => number;
};

/**
 * The pagination wrapper (docs/interface.md#4-requests-and-answers) of the items that `find` finds. Places without an item (an
 * account that is banned, a broadcast that has ended) make pages shorter. A page of them alone would look like the end, so it
 * gets the next items, unless they are very far.
 */
export async function paginated<Item>(request: PageRequest, list: List<Item>) {
  const found = await list.find(request);
  const next = rangeAfter(request, found);
  const page = next && found.items.length === 0 ? await passedOver(next, found, list) : { found, next };
  const { cursor } = page.found;
  return {
    page: request.page,
    per_page: request.perPage,
    total: page.found.total,
    has_more: page.next !== null,
    ...(list.cursors && cursor !== undefined
      ? { before_cursor: cursor === null ? null : list.cursors.encrypt(cursor) }
      : {}),
    items: page.found.items,
  };
}

/** The next items from there, at most a page of them, and what follows; none if the bounds are reached first. */
async function passedOver<Item>(from: Range, empty: FoundPage<Item>, { find, now }: List<Item>) {
  const clock = now ?? (() => performance.now());
  const endsAt = clock() + MAX_PASSING_MS;
  const perPage = from.limit;
  let [found, next]: [FoundPage<Item>, Range | null] = [empty, from];
  let limit = Math.max(STEP, perPage);
  for (let steps = 0; next && steps < MAX_EMPTY_STEPS && clock() < endsAt; ) {
    const range: Range = { ...next, limit };
    const some = await find(range);
    // Only as many can be shown as the page has; where it ends is known only of ranges that were read.
    if (some.items.length > perPage && limit > perPage) {
      limit = Math.max(perPage, Math.ceil(limit / 2));
      continue;
    }
    [found, next] = [some, rangeAfter(range, some)];
    if (some.items.length > 0) break;
    steps++;
  }
  return { found, next };
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
