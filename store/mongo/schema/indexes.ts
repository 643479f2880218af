import { type Db, type IndexDescription, MongoServerError } from "mongodb";
import { isDuplicateKey, isMongoUnavailable } from "../../../base/failures/mongo.ts";
import { SchemaError } from "./schema-error.ts";

/** As `listIndexes` describes them: one that is being built is inside `spec`. */
type ListedIndex = IndexDescription & { buildUUID?: unknown; spec?: IndexDescription };

/** An index that is being built enforces and serves nothing yet. */
export type ExistingIndex = { index: IndexDescription; isBuilt: boolean };

export async function indexesOf(db: Db, collection: string): Promise<ExistingIndex[]> {
  // Without `includeBuildUUIDs`, those that are being built look like any other.
  const listed = await db
    .runCursorCommand({ listIndexes: collection, includeBuildUUIDs: true })
    .toArray()
    .then((all): ListedIndex[] => all.map((one) => ({ key: {}, ...one })));
  return listed.map(({ spec, ...index }) =>
    spec === undefined ? { index, isBuilt: true } : { index: spec, isBuilt: false },
  );
}

/**
 * Builds them in one command, so that documents are scanned once, and resolves when all are built. Those that are being built
 * already, for a process that has ended, are waited for. Throws a SchemaError when they can't be built.
 */
export async function buildIndexes(
  db: Db,
  collection: string,
  indexes: readonly IndexDescription[],
): Promise<void> {
  try {
    // By default, a member that is away would keep the build waiting until it is back.
    await db.collection(collection).createIndexes([...indexes], { commitQuorum: "majority" });
  } catch (err) {
    if (!(err instanceof MongoServerError) || isMongoUnavailable(err)) throw err;
    throw new SchemaError(reasonOf(err, collection, indexes));
  }
}

function reasonOf(err: MongoServerError, collection: string, indexes: readonly IndexDescription[]): string {
  const all = indexes.map(({ key }) => JSON.stringify(key)).join(", ");
  if (!isDuplicateKey(err)) return `The indexes ${all} of ${collection} can't be built: ${err.message}`;
  // Without the value, which the server's message has and which may be personal.
  const key: unknown = err.errorResponse.keyPattern;
  return (
    `The unique index ${key === undefined ? all : JSON.stringify(key)} of ${collection} can't be built: ` +
    "several documents have the same value there. Change or remove all but one of them, and start again."
  );
}

/** How far the indexes of a collection are, as "scanning collection, 36 %"; null when the server doesn't say. */
export async function buildStage(db: Db, collection: string): Promise<string | null> {
  const building = {
    ns: `${db.databaseName}.${collection}`,
    msg: /^Index Build/,
    "progress.total": { $gt: 0 },
  };
  const ops = await db.client
    .db("admin")
    .aggregate<{ msg: string; progress: { done: number; total: number } }>(
      [
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: building },
        { $project: { msg: 1, progress: 1 } },
      ],
      { readConcern: { level: "local" } },
    )
    .toArray();
  // Of a sharded cluster, the shard that is behind.
  const [slowest] = ops
    .map(({ msg, progress: { done, total } }) => ({
      stage: /^Index Build: ([a-z ]*[a-z])/.exec(msg)?.[1] ?? "building",
      percent: Math.floor((100 * done) / total),
    }))
    .sort((one, other) => one.percent - other.percent);
  return slowest === undefined ? null : `${slowest.stage}, ${slowest.percent} %`;
}
