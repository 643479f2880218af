import type { Db } from "mongodb";
import { type UserDoc, usersCollection } from "../accounts/users.ts";
import { defineCollection } from "../driver/collection.ts";

/** The first user id of a sitemap file. */
type SitemapPageDoc = { _id: number; firstId: string };

export const sitemapPagesCollection = defineCollection<SitemapPageDoc>("sitemap_pages", {
  personal: {
    erase: { firstId: { keep: "files stay where they begin; the id of somebody who is gone names nobody" } },
    exports: { nothing: "an id alone" },
  },
});

type SitemapPage = { number: number; firstId: string };

/** The format's limit per file: with clock skew between workers ids may be inserted in between later. */
const MAX_URLS = 50_000;

const pageFrom = (doc: SitemapPageDoc | null): SitemapPage | null =>
  doc && { number: doc._id, firstId: doc.firstId };

export function sitemapPagesIn(db: Db) {
  const pages = sitemapPagesCollection.in(db);
  const users = usersCollection.in<Pick<UserDoc, "_id" | "status" | "username" | "updatedAt">>(db);
  return {
    find: async (number: number) => pageFrom(await pages.findOne({ _id: number })),
    last: async () => pageFrom(await pages.findOne({}, { sort: { _id: -1 } })),
    /** A page that another worker has added in the meantime stays. */
    add: async ({ number, firstId }: SitemapPage) =>
      void (await pages.updateOne({ _id: number }, { $setOnInsert: { firstId } }, { upsert: true })),

    /** The id of the user `places` positions after `id`; null when there are fewer. */
    async userBehind(id: string, places: number): Promise<string | null> {
      const [user] = await users
        .find({ _id: { $gte: id } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .skip(places)
        .limit(1)
        .toArray();
      return user?._id ?? null;
    },
    /** Active users ordered by id, from `fromId` and before `beforeId`. */
    activeUsers: (fromId: string, beforeId: string | null) =>
      users
        .find(
          { _id: { $gte: fromId, ...(beforeId === null ? {} : { $lt: beforeId }) }, status: "active" },
          { projection: { username: 1, updatedAt: 1 }, batchSize: 1_000 },
        )
        .sort({ _id: 1 })
        .limit(MAX_URLS),
  };
}
