import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { type Searchable, type SearchSource, searchableBy, searchIndex } from "../driver/searchable.ts";

/**
 * Search data of streams. It isn't stored in the streams: those are read with every request and written with every count of
 * viewers, and would become several times as large. Written in the transaction that writes the stream.
 */
export type StreamTitleDoc = {
  /** The stream's id. */
  _id: string;
  userId: string;
  name: string;
  isLive: boolean;
  search: Searchable;
};

/** Being live weighs as much as about a thousand times the followers. */
export const LIVE_WEIGHT = 40;

const FOUND = { text: "name", only: {} } as const;

export const streamTitlesCollection = defineCollection<StreamTitleDoc>("stream_titles", {
  personal: {
    erase: { userId: "delete" },
    exports: { nothing: "it is the name of the stream, which is there, in pieces" },
  },

  indexes: [searchIndex(FOUND), { key: { userId: 1 } }],
});

export const STREAM_TITLES: SearchSource = { collection: streamTitlesCollection, ...FOUND };

/** The correct document for a stream. */
export function streamTitleOf(
  { _id, userId, name, isLive }: Omit<StreamTitleDoc, "search">,
  followers: number,
): StreamTitleDoc {
  const { keys, weight } = searchableBy(name, "title", followers);
  return { _id, userId, name, isLive, search: { keys, weight: weight + (isLive ? LIVE_WEIGHT : 0) } };
}

export function streamTitlesIn(db: Db) {
  const titles = streamTitlesCollection.in(db);
  return {
    insert: async (doc: StreamTitleDoc, session?: ClientSession) =>
      void (await titles.insertOne(doc, session ? { session } : {})),
    /** Creates the document if it is missing, since an older release created the stream. */
    async rename(stream: Omit<StreamTitleDoc, "search">, session?: ClientSession): Promise<void> {
      const { _id, ...rest } = streamTitleOf(stream, 0);
      const { name, userId, isLive, search } = rest;
      await titles.updateOne(
        { _id },
        {
          $set: { name, "search.keys": search.keys },
          $setOnInsert: { userId, isLive, "search.weight": search.weight },
        },
        { upsert: true, ...(session ? { session } : {}) },
      );
    },
    /** In the given order; idempotent. */
    async turn(streamIds: readonly string[], isLive: boolean, session: ClientSession): Promise<void> {
      const by = isLive ? LIVE_WEIGHT : -LIVE_WEIGHT;
      const each = streamIds.map((_id) => ({
        updateOne: {
          filter: { _id, isLive: !isLive },
          update: { $set: { isLive }, $inc: { "search.weight": by } },
        },
      }));
      if (each.length > 0) await titles.bulkWrite(each, { session });
    },
  };
}
