import type { StreamCard } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type ListedStream, type LivePage, listedStreamsIn } from "../../store/mongo/listed-streams.ts";
import type { Identity } from "../identity/identity.ts";
import { userSummary } from "../identity/views.ts";
import type { ChannelCategories } from "./categories.ts";
import { streamCard } from "./view.ts";

/** How often a worker looks for streams that were turned on without a place. */
const ADOPT_MS = 5_000;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  categories: Pick<ChannelCategories, "namesOf">;
  identity: Pick<Identity, "usersByIds">;
};

/**
 * The listing of live streams. Viewer counts are those of the last counting, some seconds old: asking Redis for each
 * card would cost more than a list is worth.
 */
export function createLiveStreams({ mongo, clock, categories, identity }: Deps) {
  const streams = listedStreamsIn(mongo.db);
  let adoptedAt = Number.NEGATIVE_INFINITY;
  let adopting: Promise<void> = Promise.resolve();

  /**
   * While workers of the release before run beside this one they turn streams on without a place, and the `jobs` that would
   * mend it may be the last to be replaced.
   */
  function adopted(): Promise<void> {
    const now = clock.now();
    if (now - adoptedAt < ADOPT_MS) return adopting;
    adoptedAt = now;
    adopting = streams.adopt(new Date(now)).catch((err: unknown) => {
      adoptedAt = Number.NEGATIVE_INFINITY;
      throw err;
    });
    return adopting;
  }

  /** In their order. */
  async function cards(shown: readonly ListedStream[]): Promise<StreamCard[]> {
    const [users, names] = await Promise.all([
      identity.usersByIds(shown.map((stream) => stream.userId)),
      categories.namesOf(shown),
    ]);
    return shown.flatMap((stream) => {
      const user = users.get(stream.userId);
      // A channel without an account is being erased.
      return user
        ? [streamCard(stream, stream.viewerCount, { user: userSummary(user), categories: names })]
        : [];
    });
  }

  return {
    cards,
    /** Streams that have just ended leave their place empty for a while: `total` counts it, and no item is there. */
    async page(page: LivePage) {
      await adopted();
      const { items, total } = await streams.page(page, new Date(clock.now()));
      return { items: await cards(items), total };
    },
  };
}
