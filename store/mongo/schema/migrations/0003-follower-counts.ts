import { checkFollowerCounts } from "../../follower-count-check.ts";
import type { Migration } from "../../schema/migrations/migration.ts";

/**
 * Follows of before have never been counted: each channel is off by all of them. What workers of the release before
 * follow and unfollow beside it isn't counted either; the nightly check of `jobs` corrects that.
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
