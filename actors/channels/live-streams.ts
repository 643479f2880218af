import type { Clock } from "../../store/clock.ts";
import type { ListedStreams, LivePage } from "../../store/mongo/listed-streams.ts";
import type { ChannelCategories } from "./categories.ts";
import { streamCard } from "./view.ts";

export type LiveStreamsDeps<User, UserSummary> = {
  streams: Pick<ListedStreams, "page">;
  clock: Clock;
  categories: Pick<ChannelCategories, "namesOf">;
  usersByIds(ids: string[]): Promise<Map<string, User>>;
  summary(user: User): UserSummary;
};

/**
 * The listing of live streams. Viewer counts are those of the last counting, some seconds old: asking Redis for each
 * card would cost more than a list is worth.
 */
export function createLiveStreams<User, UserSummary>(deps: LiveStreamsDeps<User, UserSummary>) {
  return {
    /** Streams that have just ended leave their place empty for a while: `total` counts it, and no item is there. */
    async page(page: LivePage) {
      const { items, total } = await deps.streams.page(page, new Date(deps.clock.now()));
      const [users, categories] = await Promise.all([
        deps.usersByIds(items.map((stream) => stream.userId)),
        deps.categories.namesOf(items),
      ]);
      const cards = items.flatMap((stream) => {
        const user = users.get(stream.userId);
        // A channel without an account is being erased.
        return user ? [streamCard(stream, stream.viewerCount, { user: deps.summary(user), categories })] : [];
      });
      return { items: cards, total };
    },
  };
}
