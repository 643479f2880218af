import type { ClientSession, Db } from "mongodb";
import { keysOf } from "../search/keys.ts";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { type Page, pageIn } from "./page.ts";
import { type Searchable, type SearchSource, searchableBy, searchIndex, weightOf } from "./searchable.ts";

/** What streams are about; a tree of two levels. */
export type CategoryDoc = {
  _id: string;
  /** Stands for the id in paths; unique. */
  slug: string;
  name: string;
  coverImage: string | null;
  /** The cover's name in the file store; absent or null without one. */
  coverFile?: string | null;
  /** Null at the top. */
  parentId: string | null;
  tags: string[];
  /** Viewers of its live streams and of those below it at the last count; absent before the first. */
  liveViewers?: number;
  /** By the name and those viewers; absent in categories of before, until the nightly job has been there. */
  search?: Searchable;
  createdAt: Date;
};

export type CategoryPlace = Pick<CategoryDoc, "_id" | "parentId" | "liveViewers">;

/** Of all of them; and below one, so that a list of its streams joins few enough scans of an index to be read in order. */
export const MOST_CATEGORIES = 10_000;
export const MOST_BELOW = 199;

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
    /** Those with most viewers first, then by name. */
    page: (skip: number, limit: number): Promise<Page<CategoryDoc>> =>
      pageIn(categories, {}, ORDER, { skip, limit }),
    /** The first ones of these pages. */
    top: (limit: number) => categories.find().sort(ORDER).limit(limit).toArray(),
    async idsBelow(parentId: string, session?: ClientSession): Promise<string[]> {
      const below = categories
        .find({ parentId }, { ...within(session), ...inOneReply(MOST_BELOW) })
        .project<{ _id: string }>({ _id: 1 });
      return (await below.toArray()).map(({ _id }) => _id);
    },
    count: (session: ClientSession) => categories.countDocuments({}, { session }),

    /** Of another one than `exceptId`. */
    hasSlug: async (slug: string, exceptId: string, session: ClientSession) =>
      (await categories.findOne({ slug, _id: { $ne: exceptId } }, { session })) !== null,
    insert: async (doc: CategoryDoc, session: ClientSession) =>
      void (await categories.insertOne(withSearch(doc), { session })),
    /** The category as it then is; null when there is none. */
    update(id: string, change: Partial<CategoryDoc>, session: ClientSession) {
      const keys = change.name === undefined ? {} : { "search.keys": keysOf(change.name, "title") };
      const update = { $set: { ...change, ...keys } };
      return categories.findOneAndUpdate({ _id: id }, update, { session, returnDocument: "after" });
    },
    remove: (id: string, session: ClientSession) => categories.findOneAndDelete({ _id: id }, { session }),

    /** Where each one stands, with its last count. */
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

    /** Keeps those that are there under their id or slug. */
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
