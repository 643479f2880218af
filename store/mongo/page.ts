import type { Collection, Document, Filter, Sort, WithId } from "mongodb";

export type Page<Item> = { items: Item[]; total: number };
type Window = { skip: number; limit: number };

/** One page in that order, and the number of documents on all pages; an index of the filter serves both. */
export const pageIn = <Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  order: Sort,
  { skip, limit }: Window,
): Promise<Page<WithId<Doc>>> =>
  withTotal(collection, filter, collection.find(filter).sort(order).skip(skip).limit(limit));

/** The same where the order has to be computed: `ordered` are the stages after the filter that end in a sort. */
export const pageByStages = <Doc extends Document>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  ordered: Document[],
  { skip, limit }: Window,
): Promise<Page<WithId<Doc>>> => {
  const stages = [{ $match: filter }, ...ordered, { $skip: skip }, { $limit: limit }];
  return withTotal(collection, filter, collection.aggregate<WithId<Doc>>(stages));
};

async function withTotal<Doc extends Document, Item>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
  page: { toArray(): Promise<Item[]> },
): Promise<Page<Item>> {
  const [items, total] = await Promise.all([page.toArray(), collection.countDocuments(filter)]);
  return { items, total };
}
