import { ServiceError } from "../../contract/errors.ts";
import type { Category } from "../../contract/wire.ts";
import { type Streams, streamsIn } from "../../store/mongo/channels/streams.ts";
import { type CategoryDoc, categoriesIn } from "../../store/mongo/discovery/categories.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import type { FeatureDeps } from "../features/deps.ts";

export type CategoryCatalogue = ReturnType<typeof createCatalogue>;

/** Categories for browsing, with their viewer counts. */
export function createCatalogue({ mongo }: FeatureDeps) {
  const categories = categoriesIn(mongo.db);
  const streams: Pick<Streams, "liveByCategory"> = streamsIn(mongo.db);

  /** Finds by id or slug, case-insensitively. Throws `not_found`. */
  async function require(idOrSlug: string): Promise<CategoryDoc> {
    const key = idOrSlug.toLowerCase();
    const found = (await categories.find(key)) ?? (await categories.findBySlug(key));
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  return {
    require,
    /** Sorted by viewers at the last count, most first. */
    page: (range: Range) => categories.page(range),
    /** The first categories in that order. */
    top: (limit: number) => categories.top(limit),
    /** The ids of a category and its subcategories: streams in any of them count as in the category. */
    idsIn: async (categoryId: string) => [categoryId, ...(await categories.idsBelow(categoryId))],

    /**
     * Counts viewers per category from the streams' own last counts; viewers in a subcategory count for its parent, too. This job
     * scans the live streams, so that requests don't have to.
     */
    async countViewers(): Promise<void> {
      const [own, places] = await Promise.all([streams.liveByCategory(), categories.places()]);
      const total = new Map<string, number>();
      for (const { _id, parentId } of places) {
        const viewers = own.get(_id) ?? 0;
        for (const id of parentId === null ? [_id] : [_id, parentId])
          total.set(id, (total.get(id) ?? 0) + viewers);
      }
      const changed = places.flatMap(({ _id, liveViewers }) => {
        const viewers = total.get(_id) ?? 0;
        return viewers === liveViewers ? [] : [{ _id, liveViewers: viewers }];
      });
      await categories.setLiveViewers(changed);
    },
  };
}

export function categoryView(category: CategoryDoc): Category {
  const { _id, slug, name, coverImage, parentId, tags, liveViewers } = category;
  return {
    id: _id,
    slug,
    name,
    cover_image: coverImage,
    ...(parentId === null ? {} : { parent_id: parentId }),
    tags,
    live_viewer_count: liveViewers ?? 0,
  };
}
