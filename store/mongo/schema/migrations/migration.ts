import type { Db } from "mongodb";

/**
 * A change of stored data. Collections and indexes aren't part of it: those are created from their declarations
 * (complete.ts). It may be interrupted and run again, so each part has to be idempotent.
 *
 * Releases overlap: an old worker may restart while a newer one runs. So a change takes two releases. The first *expands*:
 * it adds what the new code needs, and both releases read and write either form. The second, when no worker of the release
 * before the first runs any more, *contracts*: it removes what only that release needed. TTLs of TTL indexes are raised
 * automatically; shortening one deletes data, and is a migration that contracts.
 */
export type Migration = {
  /** Rises by one; never reused, never changed after a release. */
  number: number;
  name: string;
  /** True: releases that don't know this migration can't work with its result, and refuse to start. */
  contracts: boolean;
  run(db: Db): Promise<void>;
};
