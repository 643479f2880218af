import type { LiveFilter, Streams } from "../../store/mongo/streams.ts";
import type { ChannelCategories } from "./categories.ts";
import { streamCard } from "./view.ts";

export type LiveStreamsDeps<User, UserSummary> = {
  streams: Pick<Streams, "live">;
  categories: Pick<ChannelCategories, "namesOf">;
  usersByIds(ids: string[]): Promise<Map<string, User>>;
  summary(user: User): UserSummary;
};

/**
 * The listing of live streams. Counts are those that the list is sorted by, at most one counting period old:
 * asking Redis for each card would let the order and the figures disagree.
 */
export function createLiveStreams<User, UserSummary>(deps: LiveStreamsDeps<User, UserSummary>) {
  return {
    async page(filter: LiveFilter, sort: "viewers" | "recent", skip: number, limit: number) {
      const { items, total } = await deps.streams.live(filter, sort, skip, limit);
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
