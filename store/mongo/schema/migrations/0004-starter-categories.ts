import type { Db } from "mongodb";
import { processClock } from "../../../../base/clock.ts";
import type { StreamDoc } from "../../channels/streams.ts";
import { type CategoryDoc, categoriesIn } from "../../discovery/categories.ts";
import type { Migration } from "./migration.ts";

/** Subcategories by their parent's name. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  Games: [
    ...[
      "Action",
      "Adventure",
      "Cards and Boards",
      "Fighting",
      "Horror",
      "MMO",
      "MOBA",
      "Platformer",
      "Puzzle",
    ],
    ...["Racing", "Retro", "Role-Playing", "Sandbox", "Shooter", "Simulation", "Sports Games", "Strategy"],
  ],
  IRL: [
    ...["Just Chatting", "Talk Shows and Podcasts", "Food and Drink", "Travel and Outdoors"],
    ...["Fitness and Health", "Sports", "Science and Technology", "Education", "News", "Special Events"],
  ],
  Creative: ["Art", "Makers and Crafting", "Software Development", "Writing"],
  Music: ["Concerts", "DJs", "Music Production", "Singing"],
  Cameras: ["Animals", "Nature", "Cities", "Weather"],
};

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** Fixed ids, so that categories are the same on all installations. */
const idOf = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

/** The initial categories of a service; staff may change them. */
export const STARTER_CATEGORIES: readonly Omit<CategoryDoc, "createdAt">[] = (() => {
  const all: Omit<CategoryDoc, "createdAt">[] = [];
  const add = (name: string, parentId: string | null): string => {
    const _id = idOf(all.length + 1);
    all.push({ _id, slug: slugOf(name), name, coverImage: null, parentId, tags: [] });
    return _id;
  };
  for (const [name, below] of Object.entries(TREE)) {
    const parent = add(name, null);
    for (const child of below) add(child, parent);
  }
  return all;
})();

/** Before categories were records, streams named one by any word: those that match one of ours keep it. */
export const starterCategories: Migration = {
  number: 4,
  name: "starter categories",
  contracts: false,
  async run(db: Db) {
    const createdAt = new Date(processClock.now());
    await categoriesIn(db).insertMissing(STARTER_CATEGORIES.map((one) => ({ ...one, createdAt })));
    const streams = db.collection<StreamDoc>("streams");
    const known = await db.collection<CategoryDoc>("categories").distinct("_id");
    const byWord = STARTER_CATEGORIES.map(({ _id, slug }) => ({
      updateMany: { filter: { categoryId: slug }, update: { $set: { categoryId: _id } } },
    }));
    const others = {
      updateMany: {
        filter: { categoryId: { $nin: [...known, null] } },
        update: { $set: { categoryId: null } },
      },
    };
    await streams.bulkWrite([...byWord, others], { ordered: true });
  },
};
