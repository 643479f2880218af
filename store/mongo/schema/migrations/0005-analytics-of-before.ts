import { leaveOfBefore } from "../../rollup-check.ts";
import type { Migration } from "../../schema/migrations/migration.ts";

/**
 * What happened in channels before it was counted is counted by `jobs`, beside everything else: until it is through, figures of
 * analytics lack some of it. What workers of the release before move meanwhile is found in the night.
 */
export const analyticsOfBefore: Migration = {
  number: 5,
  name: "analytics of before",
  contracts: false,
  run: (db) => leaveOfBefore(db, new Date()),
};
