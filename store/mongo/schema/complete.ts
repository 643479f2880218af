import { type Db, type IndexDescription, MongoServerError } from "mongodb";
import type { CollectionSchema } from "../driver/collection.ts";
import { COLLECTIONS } from "../generated/collections.ts";
import { buildIndexes, buildStage, type ExistingIndex, indexesOf } from "./indexes.ts";
import { SchemaError } from "./schema-error.ts";

const NAMESPACE_EXISTS = 48;
const INDEX_NOT_FOUND = 27;

/** A difference between the database and the declared schema, and its fix. */
export type Repair = {
  what: string;
  /** May be interrupted and run again. */
  run(): Promise<unknown>;
  /** How far it is, in words. */
  stage?(): Promise<string | null>;
};

/**
 * What the database lacks, in the order of fixing it: collections first (a transaction that would create one by its first
 * write conflicts), then indexes, TTLs of TTL indexes, and last retired indexes. An index that isn't built yet is missing.
 * Additional indexes that an operator made stay. Throws for an index of ours with options other than the declared ones.
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
  // Sequentially: with fifty at once on a slow server the last ones would wait for a connection for too long.
  for (const schema of wanted) indexes.push(...(await indexRepairs(db, schema, there.has(schema.name))));
  return [...created, ...indexes];
}

async function indexRepairs(
  db: Db,
  { name, indexes, retired }: CollectionSchema,
  isThere: boolean,
): Promise<Repair[]> {
  const existing: ExistingIndex[] = isThere ? await indexesOf(db, name) : [];
  const isSame = (one: IndexDescription, other: IndexDescription) =>
    JSON.stringify(one.key) === JSON.stringify(other.key);
  const sameAs = (index: IndexDescription) => existing.find((one) => isSame(one.index, index));
  const absent = indexes.filter((index) => !sameAs(index)?.isBuilt).map((index) => ({ ...index }));
  const keys = absent.map(({ key }) => JSON.stringify(key)).join(", ");
  const made: Repair = {
    what: `indexes ${name} ${keys}`,
    run: () => buildIndexes(db, name, absent),
    stage: () => buildStage(db, name),
  };
  const changed = indexes.flatMap((index): Repair[] => {
    const what = `index ${name} ${JSON.stringify(index.key)}`;
    const same = sameAs(index);
    if (!same) return [];
    if (shapeOf(same.index) !== shapeOf(index)) {
      throw new SchemaError(
        `The ${what} has other options than this release asks for; drop it, and start again.`,
      );
    }
    const { expireAfterSeconds } = index;
    if (!same.isBuilt || !isLonger(expireAfterSeconds, same.index.expireAfterSeconds)) return [];
    const longer = { keyPattern: index.key, expireAfterSeconds };
    return [{ what: `life time of ${what}`, run: () => db.command({ collMod: name, index: longer }) }];
  });
  const dropped = existing
    .filter(({ index }) => retired.some((key) => isSame({ key }, index)))
    .map(({ index }) => ({
      what: `retired index ${name} ${JSON.stringify(index.key)}`,
      run: () => dropIndex(db, name, index.name ?? ""),
    }));
  return [...(absent.length > 0 ? [made] : []), ...changed, ...dropped];
}

/**
 * Whether to set that TTL: a first or a longer one. If two releases that run at the same time disagree, it would otherwise depend
 * on which started last, and what a shorter TTL removes doesn't come back.
 */
const isLonger = (wanted: number | undefined, existing: number | undefined): boolean =>
  wanted !== undefined && (existing === undefined || wanted > existing);

/** The options that can't be changed for an existing index. */
const shapeOf = ({ unique = false, sparse = false, partialFilterExpression }: IndexDescription): string =>
  JSON.stringify({ unique, sparse, filter: partialFilterExpression ?? null });

const createCollection = (db: Db, name: string) => unless(NAMESPACE_EXISTS, db.createCollection(name));
const dropIndex = (db: Db, name: string, index: string) =>
  unless(INDEX_NOT_FOUND, db.collection(name).dropIndex(index));

/** Ignores the error with that code: another process may have been faster. */
async function unless(code: number, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (err) {
    if (!(err instanceof MongoServerError) || err.code !== code) throw err;
  }
}
