export type PageRequest = { page: number; perPage: number; skip: number; limit: number };

/** The page of a validated query (spec §4). */
export function pageOf(query: { page?: number; per_page?: number }): PageRequest {
  const page = query.page ?? 1;
  const perPage = query.per_page ?? 24;
  // There is no last page that may be requested: a database takes no larger number than this.
  const skip = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  return { page, perPage, skip, limit: perPage };
}

/** The pagination wrapper (spec §4); `total` counts the places of all pages, some of which may have no item. */
export function paginated<Item>(
  { page, perPage, skip, limit }: PageRequest,
  found: { items: Item[]; total: number },
) {
  return {
    page,
    per_page: perPage,
    total: found.total,
    has_more: skip + limit < found.total,
    items: found.items,
  };
}
