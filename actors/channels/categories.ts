import { ServiceError } from "../../contract/errors.ts";
import type { CategorySummary } from "../../contract/wire.ts";
import { categoriesIn } from "../../store/mongo/discovery/categories.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** The categories of a list of streams, by id; a missing entry has been deleted. */
export type CategoryNames = ReadonlyMap<string, CategorySummary>;

const MAX_CACHED = 5_000;
const TTL_MS = 10_000;

type Named = { categoryId: string | null };

/** A cache of the categories of streams, with a TTL of 10 s, so that a new name appears everywhere within that time. */
export function createCategories({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const categories = categoriesIn(mongo.db);
  const cache = new Map<string, { summary: CategorySummary; until: number }>();

  async function load(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const until = clock.now() + TTL_MS;
    for (const { _id: id, slug, name } of await categories.findMany(ids)) {
      cache.delete(id);
      cache.set(id, { summary: { id, slug, name }, until });
    }
    for (const id of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(id);
  }

  async function namesOf(streams: readonly Named[]): Promise<CategoryNames> {
    const ids = [...new Set(streams.flatMap(({ categoryId }) => categoryId ?? []))];
    const now = clock.now();
    const fresh = new Map(
      ids.flatMap((id) => {
        const entry = cache.get(id);
        return entry && entry.until > now ? [[id, entry.summary] as const] : [];
      }),
    );
    const missing = ids.filter((id) => !fresh.has(id));
    await load(missing);
    for (const id of missing) {
      const entry = cache.get(id);
      if (entry && entry.until > now) fresh.set(id, entry.summary);
    }
    return fresh;
  }

  return {
    namesOf,
    /** Throws `not_found`, with `details.category_id`, for an unknown category. */
    async require(categoryId: string): Promise<CategorySummary> {
      const found = (await namesOf([{ categoryId }])).get(categoryId);
      if (!found) throw new ServiceError("not_found", { category_id: categoryId });
      return found;
    },
  };
}

export type ChannelCategories = ReturnType<typeof createCategories>;
