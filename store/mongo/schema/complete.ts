import { type Db, type IndexDescription, MongoServerError } from "mongodb";
import type { CollectionSchema } from "../collection.ts";
import { COLLECTIONS } from "../generated/collections.ts";

const NAMESPACE_EXISTS = 48;
const INDEX_NOT_FOUND = 27;

/** One thing that isn't as the modules of the store name it, and how to make it so. */
type Repair = { what: string; run(): Promise<unknown> };

/**
 * What the database lacks, in the order of making it: collections first (a transaction that would create one by its first
 * write conflicts), then indexes, life times of TTL indexes, and last the indexes that nothing asks for any more. Indexes
 * that an operator made beside ours stay. Throws for an index of ours that has other options than it should.
 */
export async function missingFrom(
  db: Db,
  wanted: readonly CollectionSchema[] = COLLECTIONS,
): Promise<Repair[]> {
  const there = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  const created = wanted
    .filter(({ name }) => !there.has(name))
    .map(({ name }) => ({ what: `collection ${name}`, run: () => createCollection(db, name) }));
  const indexes: Repair[] = [];
  // One after the other: of fifty at once, on a server that is slow, the last ones wait for a connection longer than they may.
  for (const schema of wanted) indexes.push(...(await indexRepairs(db, schema, there.has(schema.name))));
  return [...created, ...indexes];
}

async function indexRepairs(
  db: Db,
  { name, indexes, retired }: CollectionSchema,
  isThere: boolean,
): Promise<Repair[]> {
  const collection = db.collection(name);
  const existing: IndexDescription[] = isThere ? await collection.indexes() : [];
  const sameAs = (index: IndexDescription) =>
    existing.find(({ key }) => JSON.stringify(key) === JSON.stringify(index.key));
  const absent = indexes.filter((index) => !sameAs(index)).map((index) => ({ ...index }));
  const keys = absent.map(({ key }) => JSON.stringify(key)).join(", ");
  // Together: documents that are there are gone through once.
  const made = { what: `indexes ${name} ${keys}`, run: () => collection.createIndexes(absent) };
  const changed = indexes.flatMap((index): Repair[] => {
    const what = `index ${name} ${JSON.stringify(index.key)}`;
    const same = sameAs(index);
    if (!same) return [];
    if (shapeOf(same) !== shapeOf(index)) {
      throw new Error(`The ${what} has other options than this release asks for; drop it, and start again.`);
    }
    const { expireAfterSeconds } = index;
    if (!isLonger(expireAfterSeconds, same.expireAfterSeconds)) return [];
    const longer = { keyPattern: index.key, expireAfterSeconds };
    return [{ what: `life time of ${what}`, run: () => db.command({ collMod: name, index: longer }) }];
  });
  const dropped = existing
    .filter((index) => retired.some((key) => JSON.stringify(key) === JSON.stringify(index.key)))
    .map((index) => ({
      what: `retired index ${name} ${JSON.stringify(index.key)}`,
      run: () => dropIndex(db, name, index.name ?? ""),
    }));
  return [...(absent.length > 0 ? [made] : []), ...changed, ...dropped];
}

/**
 * Whether to give an index that life time: its first one, or a longer one. Where two releases beside each other disagree, it
 * would otherwise go by who started last, and what a shorter one removes doesn't come back.
 */
const isLonger = (wanted: number | undefined, existing: number | undefined): boolean =>
  wanted !== undefined && (existing === undefined || wanted > existing);

/** What can't be changed about an index that is there. */
const shapeOf = ({ unique = false, sparse = false, partialFilterExpression }: IndexDescription): string =>
  JSON.stringify({ unique, sparse, filter: partialFilterExpression ?? null });

const createCollection = (db: Db, name: string) => unless(NAMESPACE_EXISTS, db.createCollection(name));
const dropIndex = (db: Db, name: string, index: string) =>
  unless(INDEX_NOT_FOUND, db.collection(name).dropIndex(index));

/** Another process may have been faster. */
async function unless(code: number, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (err) {
    if (!(err instanceof MongoServerError) || err.code !== code) throw err;
  }
}
