import { checkFollowerCounts } from "../../channels/follower-count-check.ts";
import type { Migration } from "./migration.ts";

/**
 * Older follows were never counted: each channel's count is off by all of them. Follows and unfollows by workers of the previous
 * release running at the same time aren't counted either; the nightly check of `jobs` corrects that.
 */
export const followerCounts: Migration = {
  number: 3,
  name: "follower counts",
  contracts: false,
  async run(db) {
    for (let after: string | null = ""; after !== null; ) {
      const checked: { after: string | null } = await checkFollowerCounts(db, after);
      after = checked.after;
    }
  },
};
