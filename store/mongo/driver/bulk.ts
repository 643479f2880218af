import DataLoader from "dataloader";
import type { AnyBulkWriteOperation, ClientSession, Collection, Filter } from "mongodb";

/**
 * Makes the server return up to `limit` documents in its first reply, without leaving a cursor open: the default is 101,
 * and every further reply is another round trip.
 */
export const inOneReply = (limit: number) => ({ batchSize: limit + 1 });

/** A user, as somebody who may have standing in a channel, which is known by its owner. */
export type ChannelMember = readonly [ownerId: string, userId: string];

/** The documents with these ids, in any order; unknown ids are left out. */
export async function byIds<T extends { _id: string }>(
  collection: Collection<T>,
  ids: string[],
  session?: ClientSession,
): Promise<T[]> {
  const options = { ...inOneReply(ids.length), ...(session ? { session } : {}) };
  // WithId<T> is T: it has its _id already.
  return (await collection.find(idIn<T>(ids), options).toArray()) as unknown as T[];
}

/** Stores these documents as they are, whether or not they exist already. */
export async function putAll<T extends { _id: string }>(
  collection: Collection<T>,
  docs: readonly T[],
  session: ClientSession,
): Promise<void> {
  await collection.bulkWrite(
    docs.map((doc) => ({ replaceOne: { filter: idIs<T>(doc._id), replacement: doc, upsert: true } })),
    { session },
  );
}

const MAX_BATCH = 128;

/**
 * Loads single documents by id, null when there is none; loads in one turn of the event loop are batched. Nothing is
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
    { cache: false, maxBatchSize: MAX_BATCH },
  );
  return (id) => loader.load(id);
}

/** Measured: a statement for 50 costs a third of 50 statements; above that, finding a document's index in it costs more. */
const DOCUMENTS_PER_STATEMENT = 50;

/**
 * Statements that set fields of many documents, each document to its own values: `fields` builds the expressions with `own`,
 * which picks a document's element out of an array of values in the order of `changes`. Missing documents are ignored.
 */
export function setEach<T extends { _id: string }, Change extends { _id: string }>(
  changes: readonly Change[],
  fields: (own: (value: (change: Change) => number) => object) => Record<string, object>,
): AnyBulkWriteOperation<T>[] {
  const statements: AnyBulkWriteOperation<T>[] = [];
  for (let i = 0; i < changes.length; i += DOCUMENTS_PER_STATEMENT) {
    const some = changes.slice(i, i + DOCUMENTS_PER_STATEMENT);
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
const idIs = <T extends { _id: string }>(id: string) => ({ _id: id }) as Filter<T>;
const idIn = <T extends { _id: string }>(ids: string[]) => ({ _id: { $in: ids } }) as Filter<T>;
