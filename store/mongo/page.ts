import type { Collection, Document, Filter, Sort, WithId } from "mongodb";

export type Page<Item> = { items: Item[]; total: number };
type Window = { skip: number; limit: number };

/** One page in that order, and the number of documents on all pages; an index of the filter serves both. */
export async function pageIn<Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Sort,
  { skip, limit }: Window,
): Promise<Page<WithId<Doc>>> {
  const page = collection.find(filter).sort(order).skip(skip).limit(limit);
  const [items, total] = await Promise.all([page.toArray(), collection.countDocuments(filter)]);
  return { items, total };
}
