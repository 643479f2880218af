import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import { newId } from "../../ids.ts";
import type { Log } from "../../log.ts";
import type { Mongo } from "../connect.ts";
import { isDuplicateKey } from "../transaction.ts";
import { collections } from "./0001-collections.ts";
import { betsById } from "./0002-bets-by-id.ts";
import type { Migration } from "./migration.ts";

/** In order. */
export const MIGRATIONS: readonly Migration[] = [collections, betsById];

type AppliedDoc = { _id: number; name: string; appliedAt: Date };
type LockDoc = { _id: "migrations"; holder: string; until: Date };

/** A holder that died is overtaken after this; no migration may take longer without being split. */
const LOCK_MS = 60_000;
const POLL_MS = 100;

/**
 * Brings the database to the layout of this code: each migration once, in order, by one process at a time; the others
 * wait. Throws when the database is from a newer release, which this code must not touch.
 */
export async function runMigrations(
  mongo: Mongo,
  { clock, log, migrations = MIGRATIONS }: { clock: Clock; log: Log; migrations?: readonly Migration[] },
): Promise<void> {
  const applied = mongo.db.collection<AppliedDoc>("migrations");
  const locks = mongo.db.collection<LockDoc>("locks");
  const holder = newId();

  const newest = migrations.at(-1)?.number ?? 0;
  const [last] = await applied.find().sort({ _id: -1 }).limit(1).toArray();
  if (last && last._id > newest) {
    throw new Error(
      `The database has migration ${last._id}; this release knows ${newest}. Start the newer release.`,
    );
  }
  if (last?._id === newest) return;

  while (!(await takeLock())) await pause(POLL_MS);
  try {
    const done = new Set((await applied.find().toArray()).map((doc) => doc._id));
    for (const migration of migrations.filter((one) => !done.has(one.number))) {
      await migration.run(mongo.db);
      const { number, name } = migration;
      await applied.insertOne({ _id: number, name, appliedAt: new Date(clock.now()) });
      log.info({ number, name }, "a migration was applied");
    }
  } finally {
    await locks.deleteOne({ _id: "migrations", holder });
  }

  async function takeLock(): Promise<boolean> {
    const now = clock.now();
    try {
      await locks.replaceOne(
        { _id: "migrations", until: { $lte: new Date(now) } },
        { holder, until: new Date(now + LOCK_MS) },
        { upsert: true },
      );
      return true;
    } catch (err) {
      if (isDuplicateKey(err)) return false;
      throw err;
    }
  }
}
