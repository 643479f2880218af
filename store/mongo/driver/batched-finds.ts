import DataLoader from "dataloader";
import {
  type AggregateOptions,
  type Collection,
  type Db,
  type Document,
  type Filter,
  MongoServerError,
  type WithId,
} from "mongodb";
import { inOneReply } from "./bulk.ts";

type Find = {
  name: string;
  pipeline: Document[];
  limit: number;
  /** On its collection. */
  aggregate(pipeline: Document[], options: AggregateOptions): Promise<Document[]>;
};

/** At least 1 as `limit`: an aggregation has none for "all". */
type Options = { sort?: Record<string, 1 | -1>; limit: number; projection?: Record<string, number> };

/** Periodic work wakes at common moments (base/aligned-pause.ts), but for a millisecond or two. */
const COLLECT_MS = 5;
const MAX_FINDS = 32;
/** For all of them; who takes longer is read by itself. */
const WITHIN_MS = 2_000;

/** Ended sessions have commands of their own, since requests are refused by them within a second. */
type Group = "work" | "endings";

const loaders = {
  work: new WeakMap<Db, DataLoader<Find, Document[]>>(),
  endings: new WeakMap<Db, DataLoader<Find, Document[]>>(),
};

/**
 * Finds for periodic work, most of which have no result: all of a group that begin at the same moment are one command
 * (docs/decisions/0100). They begin up to 5 ms later for it. Each has its rows in its own order: the server appends one union after the
 * other.
 */
export function batchedFinds(db: Db, group: Group = "work") {
  const loader = loaders[group].get(db) ?? createLoader();
  loaders[group].set(db, loader);
  return async <T extends Document>(
    collection: Collection<T>,
    filter: Filter<T>,
    { sort, limit, projection }: Options,
  ): Promise<WithId<T>[]> => {
    const pipeline = [
      { $match: filter },
      ...(sort ? [{ $sort: sort }] : []),
      { $limit: limit },
      ...(projection ? [{ $project: projection }] : []),
    ];
    const rows = await loader.load({
      name: collection.collectionName,
      pipeline,
      limit,
      aggregate: (stages, how) => collection.aggregate(stages, how).toArray(),
    });
    return rows as WithId<T>[];
  };
}

const createLoader = () =>
  new DataLoader<Find, Document[]>(resultsOf, {
    cache: false,
    maxBatchSize: MAX_FINDS,
    batchScheduleFn: (send) => void setTimeout(send, COLLECT_MS),
  });

/**
 * One by one if the server refuses them together or they take too long, so that one keeps no other from its result. A server that
 * doesn't answer isn't asked again: the next round does it.
 */
async function resultsOf(finds: readonly Find[]): Promise<(Document[] | Error)[]> {
  try {
    return await inOneCommand(finds);
  } catch (err) {
    if (!(err instanceof MongoServerError)) throw err;
    return Promise.all(finds.map(alone));
  }
}

async function inOneCommand(finds: readonly Find[]): Promise<Document[][]> {
  const [first, ...others] = finds.map((find, n) => ({
    ...find,
    pipeline: [...find.pipeline, { $replaceWith: { of: { $literal: n }, found: "$$ROOT" } }],
  }));
  if (!first) return [];
  const unions = others.map(({ name: coll, pipeline }) => ({ $unionWith: { coll, pipeline } }));
  const batchSize = finds.reduce((sum, { limit }) => sum + limit, 1);
  const rows = await first.aggregate([...first.pipeline, ...unions], { batchSize, maxTimeMS: WITHIN_MS });
  const results: Document[][] = finds.map(() => []);
  for (const { of, found } of rows) results[of]?.push(found);
  return results;
}

async function alone({ aggregate, pipeline, limit }: Find): Promise<Document[] | Error> {
  try {
    return await aggregate(pipeline, inOneReply(limit));
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err));
  }
}
