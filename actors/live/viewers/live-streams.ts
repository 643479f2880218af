import type { Clock } from "../../../base/clock.ts";
import type { StreamCard } from "../../../contract/wire.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import {
  type ListedStream,
  type LivePage,
  listedStreamsIn,
} from "../../../store/mongo/live/listed-streams.ts";
import type { Directory } from "../../accounts/public.ts";
import { userSummary } from "../../accounts/public.ts";
import type { ChannelCategories } from "../../channels/public.ts";
import { streamCard } from "../../channels/public.ts";

/** How often a worker looks for live streams without a place in the listing. */
const ADOPT_MS = 5_000;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  categories: Pick<ChannelCategories, "namesOf">;
  directory: Pick<Directory, "usersByIds">;
};

/**
 * The listing of live streams. Viewer counts are from the last count, some seconds old: a Redis query for each card would
 * be too expensive.
 */
export function createLiveStreams({ mongo, clock, categories, directory }: Deps) {
  const streams = listedStreamsIn(mongo.db);
  let adoptedAt = Number.NEGATIVE_INFINITY;
  let adopting: Promise<void> = Promise.resolve();

  /**
   * Gives places to streams that lack one. During a rolling update, workers of the previous release turn streams on without a
   * place, and the `jobs` workers that would repair this may be the last to be replaced.
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

  /** In the given order. */
  async function cards(shown: readonly ListedStream[]): Promise<StreamCard[]> {
    const [users, names] = await Promise.all([
      directory.usersByIds(shown.map((stream) => stream.userId)),
      categories.namesOf(shown),
    ]);
    return shown.flatMap((stream) => {
      const user = users.get(stream.userId);
      // A channel without an account is being erased; the broadcast of one that was just banned or deleted is about to end.
      return user?.status === "active"
        ? [streamCard(stream, stream.viewerCount, { user: userSummary(user), categories: names })]
        : [];
    });
  }

  return {
    cards,
    /** The place of a stream that has just ended stays empty for a while: it has no item, but counts in `total`. */
    async page(page: LivePage) {
      await adopted();
      const { items, ...rest } = await streams.page(page, new Date(clock.now()));
      return { ...rest, items: await cards(items) };
    },
  };
}
