import type { Db } from "mongodb";
import { usersCollection } from "../accounts/users.ts";
import { LIVE_WEIGHT, streamTitlesCollection } from "../channels/stream-titles.ts";
import { weightOf } from "../driver/searchable.ts";

/** Sets weights by follower counts, by the owner's id. Most changes of a count change no weight, and then no index. */
export async function setFollowerWeights(db: Db, followers: ReadonlyMap<string, number>): Promise<void> {
  const weights = [...followers].map(([userId, count]) => ({ userId, weight: weightOf(count) }));
  if (weights.length === 0) return;
  await usersCollection.in(db).bulkWrite(
    weights.map(({ userId, weight }) => ({
      updateOne: {
        filter: { _id: userId, "search.weight": { $ne: weight } },
        update: { $set: { "search.weight": weight } },
      },
    })),
    { ordered: false },
  );
  await streamTitlesCollection.in(db).bulkWrite(
    weights.map(({ userId, weight }) => {
      const ofLive = { $add: [weight, { $cond: ["$isLive", LIVE_WEIGHT, 0] }] };
      return { updateOne: { filter: { userId }, update: [{ $set: { "search.weight": ofLive } }] } };
    }),
    { ordered: false },
  );
}
