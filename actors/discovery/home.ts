import type { Clock } from "../../base/clock.ts";
import type { CategoryDoc } from "../../store/mongo/discovery/categories.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { ListedStream } from "../../store/mongo/live/listed-streams.ts";
import { type Candidate, liveCandidatesIn } from "../../store/mongo/live/live-candidates.ts";
import type { Following } from "../channels/public.ts";
import type { CategoryCatalogue } from "./category-catalogue.ts";
import type { Featured } from "./featured.ts";
import type { Recommendation, Recommendations } from "./recommendations.ts";

/** Entries per shelf. */
const SHELF = 12;

type Deps = {
  mongo: Mongo;
  featured: Pick<Featured, "userIds">;
  following: Pick<Following, "live">;
  catalogue: Pick<CategoryCatalogue, "top">;
  recommendations: Recommendations;
  clock: Clock;
};

type HomePage = {
  featured: ListedStream[];
  /** Null for anonymous callers. */
  followedLive: ListedStream[] | null;
  topCategories: CategoryDoc[];
  recommended: Recommendation[];
};

export function createHome({ mongo, featured, following, catalogue, recommendations, clock }: Deps) {
  const live = liveCandidatesIn(mongo.db);

  /** In the order set by staff. */
  async function featuredFor(userId: string | null): Promise<Candidate[]> {
    const userIds = await featured.userIds();
    const found = await live.ofUsers(userIds, new Date(clock.now()));
    const shown = userId === null ? found : await recommendations.unblocked(userId, found);
    const byOwner = new Map(shown.map((stream) => [stream.userId, stream]));
    return userIds.flatMap((id) => byOwner.get(id) ?? []).slice(0, SHELF);
  }

  return {
    async of(userId: string | null): Promise<HomePage> {
      const [shelf, followed, categories, recommended] = await Promise.all([
        featuredFor(userId),
        userId === null ? null : following.live(userId, SHELF),
        catalogue.top(SHELF),
        recommendations.of(userId),
      ]);
      const isFeatured = new Set(shelf.map(({ _id }) => _id));
      return {
        featured: shelf,
        followedLive: followed?.map(({ stream }) => stream) ?? null,
        topCategories: categories,
        recommended: recommended.filter(({ _id }) => !isFeatured.has(_id)).slice(0, SHELF),
      };
    },
  };
}
