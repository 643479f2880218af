import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import { type ActivityKind, activityFeedIn } from "../../store/mongo/discovery/activity-feed.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** What happened on a channel, newest first, for those who run it. */
export function createActivityFeed({ mongo }: Pick<FeatureDeps, "mongo">) {
  const feed = activityFeedIn(mongo.db);
  return {
    /** `kind` null: all. Throws `validation_failed` for a cursor of another form. */
    page: ({ _id: streamId, userId }: StreamDoc, kind: ActivityKind | null, range: Range) =>
      feed.page({ streamId, userId }, kind, range),
  };
}
