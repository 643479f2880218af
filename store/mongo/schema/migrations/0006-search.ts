import type { Migration } from "../../schema/migrations/migration.ts";
import { FIRST, type RepairPosition, repairSearch } from "../../search-repair.ts";

/**
 * Nothing of before has keys that a search finds it by. What workers of the release before write beside it has none either; the
 * nightly job of `jobs` gives it some.
 */
export const search: Migration = {
  number: 6,
  name: "search",
  contracts: false,
  async run(db) {
    for (let at: RepairPosition | null = FIRST; at !== null; ) {
      const repaired: { next: RepairPosition | null } = await repairSearch(db, at);
      at = repaired.next;
    }
  },
};
