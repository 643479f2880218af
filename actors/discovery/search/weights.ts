import { followerCountsIn } from "../../../store/mongo/channels/follower-counts.ts";
import { setFollowerWeights } from "../../../store/mongo/discovery/search-weights.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import type { FeatureDeps } from "../../features/deps.ts";

const COUNTS_AT_ONCE = 1_000;
/** Changes are timestamped in their transaction but visible only after its commit, so the cursor stays this far behind. */
const LONGEST_TRANSACTION_MS = 15_000;

export type SearchWeights = ReturnType<typeof createSearchWeights>;

/** Search ranks by followers, some seconds late: a follow itself doesn't update the index of names. */
export function createSearchWeights({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const counts = followerCountsIn(mongo.db);
  const cursor = jobCursorsIn<{ since: Date }>(mongo.db, "search-weights");

  return {
    /** Updates the weights of channels whose number of followers has changed. One worker at a time runs it; it is idempotent. */
    async sweep(): Promise<void> {
      const now = await counts.now();
      const kept = (await cursor.find())?.since ?? new Date(0);
      // A former primary's clock was ahead, so the current primary's timestamps may be before the cursor.
      const before = kept > now ? new Date(now.getTime() - LONGEST_TRANSACTION_MS) : kept;
      let since = before;
      for (;;) {
        const changed = await counts.changedSince(since, COUNTS_AT_ONCE);
        const last = changed.at(-1)?.changedAt ?? since;
        const ids = [...new Set(changed.map(({ followingId }) => followingId))];
        const followers = await counts.ofMany(ids);
        await setFollowerWeights(mongo.db, followers);
        const isProgress = last > since;
        since = last;
        if (changed.length < COUNTS_AT_ONCE || !isProgress) break;
      }
      const isOver = since.getTime() < now.getTime() - LONGEST_TRANSACTION_MS;
      const next = isOver ? since : new Date(since.getTime() - LONGEST_TRANSACTION_MS);
      if (next > before) await cursor.keep({ since: next }, new Date(clock.now()));
    },
  };
}
