import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Mongo } from "../connect.ts";
import { missingFrom } from "../schema/complete.ts";
import { underLock } from "../schema/lock.ts";
import { followerCounts } from "../schema/migrations/0003-follower-counts.ts";
import { starterCategories } from "../schema/migrations/0004-starter-categories.ts";
import { analyticsOfBefore } from "../schema/migrations/0005-analytics-of-before.ts";
import { search } from "../schema/migrations/0006-search.ts";
import { daysOfClips } from "../schema/migrations/0007-days-of-clips.ts";
import { votesOfTokens } from "../schema/migrations/0008-votes-of-tokens.ts";
import { skeletonsOfVerified } from "../schema/migrations/0009-skeletons-of-verified.ts";
import { membershipsAcrossBlocks } from "../schema/migrations/0010-memberships-across-blocks.ts";
import type { Migration } from "../schema/migrations/migration.ts";

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
];

type AppliedDoc = { _id: number; name: string; contracts?: boolean; appliedAt: Date };

/** The lock of a crashed holder expires after this; a live one renews it. */
const LOCK_MS = 30_000;

type Options = { clock: Clock; log: Log; migrations?: readonly Migration[]; lockMs?: number };

/**
 * Brings the database to the state that this code needs: missing collections and indexes are created, whether the database is
 * new or from an older release, and each migration runs once, in order. One process at a time does it; the others wait.
 * Throws when a newer release has removed what this one needs, and when another process has taken over the lock.
 */
export async function migrate(
  mongo: Mongo,
  { clock, log, migrations = MIGRATIONS, lockMs = LOCK_MS }: Options,
): Promise<void> {
  const { db } = mongo;
  const applied = db.collection<AppliedDoc>("migrations");

  async function pending(): Promise<Migration[]> {
    const done = await applied.find().sort({ _id: -1 }).toArray();
    const known = new Set(migrations.map(({ number }) => number));
    const contracted = done.find(({ _id, contracts }) => contracts === true && !known.has(_id));
    if (contracted) {
      throw new Error(
        `The database has migration ${contracted._id} (${contracted.name}), which this release can't work with. Start the newer release.`,
      );
    }
    return migrations.filter(({ number }) => !done.some(({ _id }) => _id === number));
  }

  if ((await pending()).length === 0 && (await missingFrom(db)).length === 0) return;
  await underLock(db, { log, lockMs }, async (hold) => {
    const isNew = (await applied.findOne()) === null;
    const missing = await missingFrom(db);
    if (isNew && missing.length > 0)
      log.info({ collectionsAndIndexes: missing.length }, "a new database is being set up");
    for (const { what, run } of missing) {
      await hold();
      await run();
      log[isNew ? "debug" : "info"]({ what }, "the database was completed");
    }
    for (const { number, name, contracts, run } of await pending()) {
      await hold();
      await run(db);
      await hold();
      await applied.insertOne({ _id: number, name, contracts, appliedAt: new Date(clock.now()) });
      log.info({ number, name }, "a migration was applied");
    }
  });
}
