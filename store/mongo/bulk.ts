import DataLoader from "dataloader";
import type { AnyBulkWriteOperation, ClientSession, Collection, Filter } from "mongodb";

/**
 * Makes the store answer up to `limit` documents in its first reply, without leaving a cursor open: it sends 101 by
 * itself, and every further reply is another round trip.
 */
export const inOneReply = (limit: number) => ({ batchSize: limit + 1 });

/** The documents with these ids, in any order; ids that nobody has are left out. */
export async function byIds<T extends { _id: string }>(
  collection: Collection<T>,
  ids: string[],
  session?: ClientSession,
): Promise<T[]> {
  const options = { ...inOneReply(ids.length), ...(session ? { session } : {}) };
  // WithId<T> is T: it has its _id already.
  return (await collection.find(idIn<T>(ids), options).toArray()) as unknown as T[];
}

const LOADED_AT_ONCE = 128;

/**
 * Loads single documents by id, null when there is none; loads of one turn of the event loop share a read. Nothing is
 * cached.
 */
export function loadingOne<T extends { _id: string }>(
  collection: Collection<T>,
): (id: string) => Promise<T | null> {
  const loader = new DataLoader<string, T | null>(
    async (ids) => {
      const found = new Map((await byIds(collection, [...ids])).map((doc) => [doc._id, doc]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false, maxBatchSize: LOADED_AT_ONCE },
  );
  return (id) => loader.load(id);
}

/** Measured: a statement of 50 costs a third of 50 statements; above, finding a document's place in it costs more. */
const DOCUMENTS_A_STATEMENT = 50;

/**
 * Statements that set fields of many documents, each document to values of its own: `fields` makes the expressions from
 * one that picks a document's own element out of values in the order of `changes`. Documents that aren't there are left out.
 */
export function setEach<T extends { _id: string }, Change extends { _id: string }>(
  changes: readonly Change[],
  fields: (own: (value: (change: Change) => number) => object) => Record<string, object>,
): AnyBulkWriteOperation<T>[] {
  const statements: AnyBulkWriteOperation<T>[] = [];
  for (let i = 0; i < changes.length; i += DOCUMENTS_A_STATEMENT) {
    const some = changes.slice(i, i + DOCUMENTS_A_STATEMENT);
    const ids = some.map(({ _id }) => _id);
    const place = { $indexOfArray: [{ $literal: ids }, "$_id"] };
    const own = (value: (change: Change) => number) => {
      const values = some.map(value);
      const isSame = values.every((one) => one === values[0]);
      return isSame ? { $literal: values[0] } : { $arrayElemAt: [{ $literal: values }, place] };
    };
    statements.push({ updateMany: { filter: idIn<T>(ids), update: [{ $set: fields(own) }] } });
  }
  return statements;
}

/** The driver's filter type can't see that T's own _id is a string. */
const idIn = <T extends { _id: string }>(ids: string[]) => ({ _id: { $in: ids } }) as Filter<T>;
