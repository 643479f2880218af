import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** What streams are about; a tree of two levels to begin with. */
export type CategoryDoc = {
  _id: string;
  /** Stands for the id in paths; unique. */
  slug: string;
  name: string;
  coverImage: string | null;
  /** Null at the top. */
  parentId: string | null;
  tags: string[];
  createdAt: Date;
};

export const categoriesCollection = defineCollection<CategoryDoc>("categories", {
  personal: "none",

  indexes: [{ key: { slug: 1 }, unique: true }, { key: { parentId: 1 } }],
});

export function categoriesIn(db: Db) {
  const categories = categoriesCollection.in(db);
  return {
    findMany: (ids: string[]) => categories.find({ _id: { $in: ids } }).toArray(),
    /** Keeps those that are there under their id or slug. */
    async insertMissing(docs: CategoryDoc[]): Promise<void> {
      await categories.bulkWrite(
        docs.map(({ slug, ...doc }) => ({
          updateOne: { filter: { slug }, update: { $setOnInsert: doc }, upsert: true },
        })),
        { ordered: false },
      );
    },
  };
}
