import { FIRST, type RepairPosition, repairSearch } from "../../discovery/search-repair.ts";
import type { Migration } from "./migration.ts";

/**
 * Adds search keys to existing documents. What workers of the previous release write in the meantime has none either; the nightly
 * job of `jobs` adds them.
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
