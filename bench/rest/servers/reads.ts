import { userSummary } from "../../../actors/accounts/profile/views.ts";
import { createCategories } from "../../../actors/channels/categories.ts";
import { createAnalytics } from "../../../actors/discovery/analytics/analytics.ts";
import { categoryView } from "../../../actors/discovery/category-catalogue.ts";
import { createHome } from "../../../actors/discovery/home.ts";
import { createRecommendations } from "../../../actors/discovery/recommendations.ts";
import { createSearch, SEARCH_KINDS } from "../../../actors/discovery/search/search.ts";
import { createLiveStreams } from "../../../actors/live/viewers/live-streams.ts";
import { createNotificationViews } from "../../../actors/notifications/view.ts";
import { processClock as clock } from "../../../base/clock.ts";
import { silentMeter } from "../../../base/metrics.ts";
import type { StreamCard } from "../../../contract/wire.ts";
import { quietLog } from "../../../specs/support/quiet-log.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import { followedChannelsIn } from "../../../store/mongo/channels/followed-channels.ts";
import { followsIn } from "../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { categoriesIn } from "../../../store/mongo/discovery/categories.ts";
import { featuredChannelsIn } from "../../../store/mongo/discovery/featured-channels.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { notificationsIn } from "../../../store/mongo/notifications/notifications.ts";

/** What is read of one request: who asks, null for nobody, and what the query says. */
type Read = (caller: string | null, query: URLSearchParams) => Promise<object>;

const FULL_PAGE = 24;
const FOUND = 20;
/** Nobody watches here, and nothing is paid. */
const NOBODY = {
  countEach: async () => new Map<string, number>(),
  present: async function* () {
    yield* [];
  },
};
const PRICES = { currency: "USD", tierCents: { 1: 499, 2: 999, 3: 2_499 } };

/**
 * Reads that are more than a query or two, by path: the service's own, as they are below its HTTP side. Another one is a line
 * here, and one in `operations.ts`.
 */
export function createReads(mongo: Mongo): Record<string, Read> {
  const { db } = mongo;
  const [follows, streams, users] = [followsIn(db), streamsIn(db), usersIn(db)];
  const followed = followedChannelsIn(db);
  const lines = notificationsIn(db);
  const found = (all: UserWithoutSecrets[]) => new Map(all.map((user) => [user._id, user]));
  const directory = {
    usersByIds: async (ids: Iterable<string>) => found(await users.findManyPublic([...new Set(ids)])),
  };
  const categories = createCategories({ mongo, clock });
  const liveStreams = createLiveStreams({ mongo, clock, categories, directory });
  const views = createNotificationViews({ directory, streams, publicUrl: "https://live.example" });

  const search = createSearch({ mongo, directory });
  const analytics = createAnalytics({
    mongo,
    clock,
    streams,
    presence: NOBODY,
    paymentSettings: { prices: PRICES },
    meter: silentMeter(),
    log: quietLog(),
    masterKey: "the bare server's",
  });

  async function live(userId: string, limit: number) {
    const ids = await followed.live(userId, limit, new Date());
    const [follow, people, docs] = await Promise.all([
      follows.followedOf(userId, ids),
      directory.usersByIds(ids),
      streams.findByUsers(ids),
    ]);
    const streamOf = new Map(docs.map((stream) => [stream.userId, stream]));
    return ids.flatMap((id) => {
      const [its, user, stream] = [follow.get(id), people.get(id), streamOf.get(id)];
      return its && user && stream ? [{ follow: its, user, stream }] : [];
    });
  }
  const home = createHome({
    mongo,
    clock,
    following: { live },
    catalogue: categoriesIn(db),
    featured: featuredChannelsIn(db),
    recommendations: createRecommendations({ mongo, follows, clock }),
  });

  return {
    async "/v1/discovery/home"(caller) {
      const page = await home.of(caller);
      const cards = async (shown: Parameters<typeof liveStreams.cards>[0]) =>
        (await liveStreams.cards(shown)).map(sparse);
      const [featured, followedLive, recommended] = await Promise.all([
        cards(page.featured),
        page.followedLive && cards(page.followedLive),
        cards(page.recommended),
      ]);
      return {
        featured,
        ...(followedLive ? { followed_live: followedLive } : {}),
        top_categories: page.topCategories.map(categoryView),
        recommended,
      };
    },

    async "/v1/search"(viewerId, query) {
      const options = { kinds: SEARCH_KINDS, limit: FOUND, viewerId };
      const found = await search(query.get("q") ?? "", options);
      return {
        streams: (await liveStreams.cards(found.streams)).map(sparse),
        users: found.users.map(userSummary),
        categories: found.categories,
        // There are none on this stage.
        clips: [],
      };
    },

    "/v1/analytics/creator": (caller) => analytics.ofCreator(caller ?? "", "30d"),

    async "/v1/notifications"(caller) {
      const { items, total } = await lines.page(caller ?? "", { skip: 0, limit: FULL_PAGE });
      const shown = await views(items);
      return { page: 1, per_page: FULL_PAGE, total, has_more: shown.length < total, items: shown };
    },
  };
}

function sparse({ tags: _tags, ...card }: StreamCard): StreamCard {
  return card;
}
