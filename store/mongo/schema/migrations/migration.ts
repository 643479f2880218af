import type { Db } from "mongodb";

/**
 * A change of stored data. Collections and indexes aren't its business: those are made to be what their modules name
 * (complete.ts). It may be cut off and run again, so each part is repeatable.
 *
 * Releases overlap: an old worker may restart beside a newer one. So a change comes in two releases. The first *expands*:
 * it adds what the new code needs, and both read and write either form. The second, when no worker of the first one's
 * predecessor runs any more, *contracts*: it takes away what only that one needed. Life times of TTL indexes grow by themselves;
 * to shorten one takes data away, and is a migration that contracts.
 */
export type Migration = {
  /** Rises by one; never reused, never changed after a release. */
  number: number;
  name: string;
  /** True: releases that don't know this migration can't work with what it leaves, and refuse to start. */
  contracts: boolean;
  run(db: Db): Promise<void>;
};
