/**
 * Changes of the category tree by staff. They all write one document, which serializes them, so what a change finds and counts
 * stays valid until its commit.
 */
import type { ClientSession } from "mongodb";
import type { Actor } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import {
  type CategoryDoc,
  categoriesIn,
  MAX_CATEGORIES,
  MAX_SUBCATEGORIES,
} from "../../store/mongo/discovery/categories.ts";
import { categoryRemovalsIn } from "../../store/mongo/discovery/category-removals.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Pictures } from "../channels/public.ts";
import { tagsFrom } from "../channels/public.ts";
import { keyedRequestsIn } from "../host/keyed-requests.ts";
import type { DiscoveryChanges } from "./discovery-changes.ts";
import { slugOf } from "./slug.ts";

/** Absent fields stay unchanged; a null `parentId` is the top level. */
export type CategoryChange = { name?: string; slug?: string; parentId?: string | null; tags?: string[] };
type NewCategory = CategoryChange & { name: string };

/** For this long other workers may take a removed category for an existing one, and assign it to a stream. */
const REFERENCES_KEPT_MS = 30_000;
const REMOVALS_AT_ONCE = 20;

type Deps = {
  mongo: Mongo;
  changeDiscovery: DiscoveryChanges;
  pictures: Pick<Pictures, "put" | "show" | "drop">;
  /** `require` throws `not_found`. */
  catalogue: { require(idOrSlug: string): Promise<CategoryDoc> };
  clock: Clock;
};

export type CategoryChanges = ReturnType<typeof createCategoryChanges>;

export function createCategoryChanges({ mongo, changeDiscovery, pictures, catalogue, clock }: Deps) {
  const categories = categoriesIn(mongo.db);
  const removals = categoryRemovalsIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);

  async function requireFree(slug: string, id: string, session: ClientSession): Promise<void> {
    if (await categories.hasSlug(slug, id, session)) throw new ServiceError("slug_taken");
  }

  /** Throws `not_found`, `category_too_deep` or `limit_reached` when the category can't be placed below this parent. */
  async function requirePlace(parentId: string, id: string, session: ClientSession): Promise<void> {
    const parent = await categories.find(parentId, session);
    if (!parent) throw new ServiceError("not_found", { category_id: parentId });
    const below = await categories.idsBelow(id, session);
    if (parent.parentId !== null || parentId === id || below.length > 0)
      throw new ServiceError("category_too_deep");
    const others = (await categories.idsBelow(parentId, session)).filter((other) => other !== id);
    if (others.length >= MAX_SUBCATEGORIES)
      throw new ServiceError("limit_reached", { limit: MAX_SUBCATEGORIES });
  }

  /** The category as the transaction reads it. Throws `not_found`. */
  async function current(idOrSlug: string, session: ClientSession): Promise<CategoryDoc> {
    const { _id } = await catalogue.require(idOrSlug);
    const category = await categories.find(_id, session);
    if (!category) throw new ServiceError("not_found");
    return category;
  }

  /** Changes a category with an audit line; returns the changed category. */
  function changed(
    by: Actor,
    idOrSlug: string,
    write: (before: CategoryDoc, session: ClientSession) => Promise<Partial<CategoryDoc>>,
  ): Promise<CategoryDoc> {
    return changeDiscovery(async (session, note) => {
      const before = await current(idOrSlug, session);
      const after = await categories.update(before._id, await write(before, session), session);
      if (!after) throw new ServiceError("not_found");
      note("category.changed", by, { categoryId: before._id });
      return after;
    });
  }

  async function addIn(
    { name, slug, parentId = null, tags = [] }: NewCategory,
    createdAt: Date,
    session: ClientSession,
  ): Promise<CategoryDoc> {
    const _id = newId();
    const doc: CategoryDoc = {
      _id,
      slug: slug ?? (slugOf(name) || _id),
      name,
      coverImage: null,
      parentId,
      tags: tagsFrom(tags),
      liveViewers: 0,
      createdAt,
    };
    if ((await categories.count(session)) >= MAX_CATEGORIES)
      throw new ServiceError("limit_reached", { limit: MAX_CATEGORIES });
    await requireFree(doc.slug, _id, session);
    if (parentId !== null) await requirePlace(parentId, _id, session);
    await categories.insert(doc, session);
    return doc;
  }

  return {
    /**
     * Throws `slug_taken`, `limit_reached`, `category_too_deep`, `idempotency_conflict`, and `not_found` for an unknown
     * parent.
     */
    add: (by: Actor & { userId: string }, request: NewCategory, key: string | null = null) =>
      changeDiscovery((session, note) =>
        keyed.once({ by: by.userId, operation: "category.add", key, request }, session, {
          async act(at) {
            const doc = await addIn(request, at, session);
            note("category.added", by, { categoryId: doc._id });
            return doc;
          },
          answerOf: ({ _id }) => _id,
          again: (id) => categories.find(id, session),
        }),
      ),

    /** Throws as `add`. */
    change: (by: Actor, idOrSlug: string, { tags, ...change }: CategoryChange) =>
      changed(by, idOrSlug, async ({ _id }, session) => {
        if (change.slug !== undefined) await requireFree(change.slug, _id, session);
        if (change.parentId) await requirePlace(change.parentId, _id, session);
        return { ...change, ...(tags ? { tags: tagsFrom(tags) } : {}) };
      }),

    /** Also throws errors of the picture. */
    async setCover(by: Actor, idOrSlug: string, bytes: Buffer): Promise<CategoryDoc> {
      await catalogue.require(idOrSlug);
      const { file, url } = await pictures.put(null, "category", bytes);
      return changed(by, idOrSlug, async ({ coverFile }, session) => {
        await pictures.show(file, session);
        if (coverFile) await pictures.drop(coverFile, session);
        return { coverImage: url, coverFile: file };
      });
    },

    /** Without a cover it only writes an audit line. */
    removeCover: (by: Actor, idOrSlug: string) =>
      changed(by, idOrSlug, async ({ coverFile }, session) => {
        if (coverFile) await pictures.drop(coverFile, session);
        return { coverImage: null, coverFile: null };
      }),

    /** References to it are removed soon afterwards, by the sweep. Throws `category_not_empty`. */
    remove: (by: Actor, idOrSlug: string): Promise<void> =>
      changeDiscovery(async (session, note) => {
        const { _id, coverFile } = await current(idOrSlug, session);
        if ((await categories.idsBelow(_id, session)).length > 0)
          throw new ServiceError("category_not_empty");
        await categories.remove(_id, session);
        if (coverFile) await pictures.drop(coverFile, session);
        await removals.add({ _id, dueAt: new Date(clock.now() + REFERENCES_KEPT_MS) }, session);
        note("category.removed", by, { categoryId: _id });
      }),

    /** Removes references to removed categories. */
    async sweep(): Promise<void> {
      const now = new Date(clock.now());
      for (const { _id } of await removals.due(now, REMOVALS_AT_ONCE)) await removals.finish(_id, now);
    },
  };
}
