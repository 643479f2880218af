import { processClock } from "../../../../base/clock.ts";
import { startBackfill } from "../../discovery/rollup-check.ts";
import type { Migration } from "./migration.ts";

/**
 * Older activity is counted by `jobs` in the background: until that is done, analytics lack some of it. Activity by workers
 * of the previous release running at the same time is found by the nightly check.
 */
export const analyticsOfBefore: Migration = {
  number: 5,
  name: "analytics of before",
  contracts: false,
  run: (db) => startBackfill(db, new Date(processClock.now())),
};
