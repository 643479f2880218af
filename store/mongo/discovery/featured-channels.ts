import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A channel that staff have put on the home page; `_id` is its owner. */
export type FeaturedChannelDoc = { _id: string; position: number; featuredAt: Date };

/** The limit in the OpenAPI document. */
const MAX_FEATURED = 20;

export const featuredChannelsCollection = defineCollection<FeaturedChannelDoc>("featured_channels", {
  personal: {
    erase: { _id: "delete" },
    exports: [{ by: "_id", shows: ["featuredAt"] }],
  },
});

export function featuredChannelsIn(db: Db) {
  const featured = featuredChannelsCollection.in(db);
  return {
    /** Ordered by position. */
    async userIds(): Promise<string[]> {
      // There are few: they are sorted in memory, without an index.
      const all = await featured.find().limit(MAX_FEATURED).toArray();
      return all.sort((a, b) => a.position - b.position).map(({ _id }) => _id);
    },
    /** Replaces all featured channels. */
    async replace(userIds: readonly string[], featuredAt: Date, session: ClientSession): Promise<void> {
      await featured.deleteMany({}, { session });
      const docs = userIds.map((_id, position) => ({ _id, position, featuredAt }));
      if (docs.length > 0) await featured.insertMany(docs, { session });
    },
  };
}
