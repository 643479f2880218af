import type { Db } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Mongo } from "../driver/connect.ts";
import { missingFrom, type Repair } from "./complete.ts";
import { underLock } from "./lock.ts";
import { followerCounts } from "./migrations/0003-follower-counts.ts";
import { starterCategories } from "./migrations/0004-starter-categories.ts";
import { analyticsOfBefore } from "./migrations/0005-analytics-of-before.ts";
import { search } from "./migrations/0006-search.ts";
import { daysOfClips } from "./migrations/0007-days-of-clips.ts";
import { votesOfTokens } from "./migrations/0008-votes-of-tokens.ts";
import { skeletonsOfVerified } from "./migrations/0009-skeletons-of-verified.ts";
import { membershipsAcrossBlocks } from "./migrations/0010-memberships-across-blocks.ts";
import { tagsAsSeen } from "./migrations/0011-tags-as-seen.ts";
import { matureClips } from "./migrations/0012-mature-clips.ts";
import { analyticsKnownSince } from "./migrations/0013-analytics-known-since.ts";
import type { Migration } from "./migrations/migration.ts";
import { createProgress, type Progress } from "./progress.ts";
import { SchemaError } from "./schema-error.ts";
import { throughOutages } from "./through-outages.ts";

/** In order; 1 and 2 were indexes, from before indexes were created automatically. */
const MIGRATIONS: readonly Migration[] = [
  followerCounts,
  starterCategories,
  analyticsOfBefore,
  search,
  daysOfClips,
  votesOfTokens,
  skeletonsOfVerified,
  membershipsAcrossBlocks,
  tagsAsSeen,
  matureClips,
  analyticsKnownSince,
];

type AppliedDoc = { _id: number; name: string; contracts?: boolean; appliedAt: Date };

/** The lock of a crashed holder expires after this; a live one renews it. */
const LOCK_MS = 30_000;

type Options = {
  clock: Clock;
  log: Log;
  /** Gets a line for a person at each migration, and every few seconds while something takes long. */
  report?: (line: string) => void;
  /** Stops between two parts. One that runs is ended by closing `mongo`: MongoDB goes on with an index that it builds. */
  signal?: AbortSignal;
  /** Another connection to the same database for the lock, which can be given back when `mongo` is closed. */
  locks?: Db;
  migrations?: readonly Migration[];
  lockMs?: number;
};

/**
 * Brings the database to the state that this code needs: missing collections and indexes are created, whether the database is
 * new or from an older release, and each migration runs once, in order. One process at a time does it; the others wait.
 * It takes as long as it takes, through elections too, and goes on where a former run was ended.
 * Throws a SchemaError when an index can't be built, when a newer release has removed what this one needs, and when another process
 * has taken over the lock.
 */
export async function migrate(
  mongo: Mongo,
  {
    clock,
    log,
    report = () => undefined,
    signal = new AbortController().signal,
    locks = mongo.db,
    migrations = MIGRATIONS,
    lockMs = LOCK_MS,
  }: Options,
): Promise<void> {
  const { db } = mongo;
  const reading = <T>(read: () => Promise<T>) => throughOutages({ log, signal }, read);
  if (await reading(() => isSchemaComplete(db, migrations))) return;
  const progress = createProgress({ report, log });
  await underLock(locks, { log, lockMs, progress, signal }, async (hold) => {
    const applied = appliedIn(db);
    const isNew = (await reading(() => applied.findOne())) === null;
    const lines = isNew ? { ...progress, report: () => undefined } : progress;
    const step = <T>(work: () => Promise<T>) =>
      throughOutages({ log, signal }, async () => {
        signal.throwIfAborted();
        await hold();
        return work();
      });
    const missing = await reading(() => missingFrom(db));
    await completeBy(missing, { log, isNew, progress, step });
    for (const migration of await reading(() => pendingIn(db, migrations))) {
      const { number, name, contracts } = migration;
      lines.report(`Migration ${number}: ${name}`);
      await progress.during(`Migration ${number}: ${name}`, () => step(() => migration.run(db)));
      const appliedAt = new Date(clock.now());
      await step(() =>
        applied.updateOne({ _id: number }, { $set: { name, contracts, appliedAt } }, { upsert: true }),
      );
      log.info({ number, name }, "a migration was applied");
    }
  });
}

/** Whether nothing is missing and no migration pending. Throws when a newer release has removed what this one needs. */
export async function isSchemaComplete(
  db: Db,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<boolean> {
  return (await pendingIn(db, migrations)).length === 0 && (await missingFrom(db)).length === 0;
}

const appliedIn = (db: Db) => db.collection<AppliedDoc>("migrations");

async function pendingIn(db: Db, migrations: readonly Migration[]): Promise<Migration[]> {
  const done = await appliedIn(db).find().sort({ _id: -1 }).toArray();
  const known = new Set(migrations.map(({ number }) => number));
  const contracted = done.find(({ _id, contracts }) => contracts === true && !known.has(_id));
  if (contracted) {
    throw new SchemaError(
      `The database has migration ${contracted._id} (${contracted.name}), which this release can't work with. Start the newer release.`,
    );
  }
  return migrations.filter(({ number }) => !done.some(({ _id }) => _id === number));
}

async function completeBy(
  missing: readonly Repair[],
  {
    log,
    isNew,
    progress,
    step,
  }: { log: Log; isNew: boolean; progress: Progress; step: <T>(work: () => Promise<T>) => Promise<T> },
): Promise<void> {
  if (isNew && missing.length > 0) {
    log.info({ collectionsAndIndexes: missing.length }, "a new database is being set up");
    progress.report("Setting up a new database");
  }
  for (const { what, run, stage } of missing) {
    await progress.during(`Creating ${what}`, () => step(run), stage);
    log[isNew ? "debug" : "info"]({ what }, "the database was completed");
  }
}
