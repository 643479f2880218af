import type { ClientSession, Db } from "mongodb";
import { keysOf } from "../../../base/search/keys.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { type Page, pageIn, type Range } from "../driver/page.ts";
import {
  type Searchable,
  type SearchSource,
  searchableBy,
  searchIndex,
  weightOf,
} from "../driver/searchable.ts";

/** A category of streams; a tree of two levels. */
export type CategoryDoc = {
  _id: string;
  /** Used instead of the id in paths; unique. */
  slug: string;
  name: string;
  coverImage: string | null;
  /** The cover's name in the file store; absent or null without one. */
  coverFile?: string | null;
  /** Null at the top. */
  parentId: string | null;
  tags: string[];
  /** Viewers of live streams in it and its subcategories at the last count; absent before the first. */
  liveViewers?: number;
  /** From the name and those viewers; absent in older categories until the nightly job has added it. */
  search?: Searchable;
  createdAt: Date;
};

type CategoryPlace = Pick<CategoryDoc, "_id" | "parentId" | "liveViewers">;

/** In total, and per parent. The latter is low enough that a list of a category's streams can merge its index scans in order. */
export const MAX_CATEGORIES = 10_000;
export const MAX_SUBCATEGORIES = 199;

const FOUND = { text: "name", only: {} } as const;

export const categoriesCollection = defineCollection<CategoryDoc>("categories", {
  personal: "none",

  indexes: [
    { key: { slug: 1 }, unique: true },
    { key: { parentId: 1, _id: 1 } }, // idsBelow
    { key: { liveViewers: -1, name: 1, _id: 1 } }, // page
    searchIndex(FOUND),
  ],
  retired: [{ parentId: 1 }],
});

export const CATEGORIES: SearchSource = { collection: categoriesCollection, ...FOUND };

const withSearch = (doc: CategoryDoc): CategoryDoc => ({
  ...doc,
  search: searchableBy(doc.name, "title", doc.liveViewers ?? 0),
});

const ORDER = { liveViewers: -1, name: 1, _id: 1 } as const;

export function categoriesIn(db: Db) {
  const categories = categoriesCollection.in(db);
  const within = (session?: ClientSession) => (session ? { session } : {});
  return {
    findMany: (ids: string[]) => categories.find({ _id: { $in: ids } }).toArray(),
    find: (id: string, session?: ClientSession) => categories.findOne({ _id: id }, within(session)),
    findBySlug: (slug: string) => categories.findOne({ slug }),
    /** Most viewers first, then by name. */
    page: (range: Range): Promise<Page<CategoryDoc>> => pageIn(categories, {}, ORDER, range),
    /** The first categories in that order. */
    top: (limit: number) => categories.find().sort(ORDER).limit(limit).toArray(),
    async idsBelow(parentId: string, session?: ClientSession): Promise<string[]> {
      const below = categories
        .find({ parentId }, { ...within(session), ...inOneReply(MAX_SUBCATEGORIES) })
        .project<{ _id: string }>({ _id: 1 });
      return (await below.toArray()).map(({ _id }) => _id);
    },
    count: (session: ClientSession) => categories.countDocuments({}, { session }),

    /** Whether a category other than `exceptId` has the slug. */
    hasSlug: async (slug: string, exceptId: string, session: ClientSession) =>
      (await categories.findOne({ slug, _id: { $ne: exceptId } }, { session })) !== null,
    insert: async (doc: CategoryDoc, session: ClientSession) =>
      void (await categories.insertOne(withSearch(doc), { session })),
    /** Returns the updated category; null when there is none. */
    update(id: string, change: Partial<CategoryDoc>, session: ClientSession) {
      const keys = change.name === undefined ? {} : { "search.keys": keysOf(change.name, "title") };
      const update = { $set: { ...change, ...keys } };
      return categories.findOneAndUpdate({ _id: id }, update, { session, returnDocument: "after" });
    },
    remove: (id: string, session: ClientSession) => categories.findOneAndDelete({ _id: id }, { session }),

    /** Parents and last counts of all categories. */
    places: () =>
      categories
        .find({}, { batchSize: 1_000 })
        .project<CategoryPlace>({ parentId: 1, liveViewers: 1 })
        .toArray(),
    async setLiveViewers(counts: readonly { _id: string; liveViewers: number }[]): Promise<void> {
      const each = counts.map(({ _id, liveViewers }) => ({
        updateOne: {
          filter: { _id },
          update: { $set: { liveViewers, "search.weight": weightOf(liveViewers) } },
        },
      }));
      if (each.length > 0) await categories.bulkWrite(each, { ordered: false });
    },

    /** Existing categories with the same id or slug stay unchanged. */
    async insertMissing(docs: CategoryDoc[]): Promise<void> {
      await categories.bulkWrite(
        docs.map(withSearch).map(({ slug, ...doc }) => ({
          updateOne: { filter: { slug }, update: { $setOnInsert: doc }, upsert: true },
        })),
        { ordered: false },
      );
    },
  };
}
