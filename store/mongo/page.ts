import type { Collection, Document, Filter, Sort, WithId } from "mongodb";

export type Page<Item> = { items: Item[]; total: number };

/** The documents of one page in that order, and how many there are in all; both by the filter's index. */
export async function pageIn<Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Sort,
  { skip, limit }: { skip: number; limit: number },
): Promise<Page<WithId<Doc>>> {
  const [items, total] = await Promise.all([
    collection.find(filter).sort(order).skip(skip).limit(limit).toArray(),
    collection.countDocuments(filter),
  ]);
  return { items, total };
}
