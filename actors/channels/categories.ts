import { ServiceError } from "../../specs/contract/errors.ts";
import type { CategorySummary } from "../../specs/contract/wire.ts";
import { categoriesIn } from "../../store/mongo/categories.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** Of a list's streams, by category id; one that isn't there is gone. */
export type CategoryNames = ReadonlyMap<string, CategorySummary>;

const MAX_KNOWN = 5_000;
const KNOWN_MS = 10_000;

type Named = { categoryId: string | null };

/** Categories as streams name them. A changed name is shown everywhere within 10 s. */
export function createCategories({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const categories = categoriesIn(mongo.db);
  const known = new Map<string, { summary: CategorySummary; until: number }>();

  async function load(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const until = clock.now() + KNOWN_MS;
    for (const { _id: id, name } of await categories.findMany(ids)) {
      known.delete(id);
      known.set(id, { summary: { id, name }, until });
    }
    for (const id of known.keys()) if (known.size > MAX_KNOWN) known.delete(id);
  }

  async function namesOf(streams: readonly Named[]): Promise<CategoryNames> {
    const ids = [...new Set(streams.flatMap(({ categoryId }) => categoryId ?? []))];
    const now = clock.now();
    const fresh = new Map(
      ids.flatMap((id) => {
        const one = known.get(id);
        return one && one.until > now ? [[id, one.summary] as const] : [];
      }),
    );
    const missing = ids.filter((id) => !fresh.has(id));
    await load(missing);
    for (const id of missing) {
      const one = known.get(id);
      if (one && one.until > now) fresh.set(id, one.summary);
    }
    return fresh;
  }

  return {
    namesOf,
    /** Throws `not_found`, with `details.category_id`, for one that there isn't. */
    async require(categoryId: string): Promise<CategorySummary> {
      const found = (await namesOf([{ categoryId }])).get(categoryId);
      if (!found) throw new ServiceError("not_found", { category_id: categoryId });
      return found;
    },
  };
}

export type ChannelCategories = ReturnType<typeof createCategories>;
