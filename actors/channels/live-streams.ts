import type { UserSummary } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import type { ListedStreams, LivePage } from "../../store/mongo/listed-streams.ts";
import type { ChannelCategories } from "./categories.ts";
import { streamCard } from "./view.ts";

/** How often a worker looks for streams that were turned on without a place. */
const ADOPT_MS = 5_000;

export type LiveStreamsDeps<User> = {
  streams: Pick<ListedStreams, "page" | "adopt">;
  clock: Clock;
  categories: Pick<ChannelCategories, "namesOf">;
  usersByIds(ids: string[]): Promise<Map<string, User>>;
  summary(user: User): UserSummary;
};

/**
 * The listing of live streams. Viewer counts are those of the last counting, some seconds old: asking Redis for each
 * card would cost more than a list is worth.
 */
export function createLiveStreams<User>(deps: LiveStreamsDeps<User>) {
  let adoptedAt = Number.NEGATIVE_INFINITY;
  let adopting: Promise<void> = Promise.resolve();

  /**
   * While workers of the release before run beside this one they turn streams on without a place, and the `jobs` that would
   * mend it may be the last to be replaced.
   */
  function adopted(): Promise<void> {
    const now = deps.clock.now();
    if (now - adoptedAt < ADOPT_MS) return adopting;
    adoptedAt = now;
    adopting = deps.streams.adopt(new Date(now)).catch((err: unknown) => {
      adoptedAt = Number.NEGATIVE_INFINITY;
      throw err;
    });
    return adopting;
  }

  return {
    /** Streams that have just ended leave their place empty for a while: `total` counts it, and no item is there. */
    async page(page: LivePage) {
      await adopted();
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
