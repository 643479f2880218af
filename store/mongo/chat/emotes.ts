import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** An emote of a set: a channel's, or the global one. */
export type EmoteDoc = {
  _id: string;
  /** The channel's owner; null for a global one. */
  channelUserId: string | null;
  name: string;
  /** Lowest tier of a subscription to the channel that may use it, 0 for everybody. */
  minTier: 0 | 1 | 2 | 3;
  imageUrl: string;
  /** Its name in the file store. */
  file: string;
  createdAt: Date;
};

/** Per set. */
export const MAX_EMOTES = 200;

export const emotesCollection = defineCollection<EmoteDoc>("emotes", {
  personal: {
    erase: { channelUserId: "delete" },
    exports: [{ by: "channelUserId", shows: ["_id", "name", "minTier", "imageUrl", "createdAt"] }],
  },
  indexes: [{ key: { channelUserId: 1, name: 1 }, unique: true }], // ofSet, named
});

export function emotesIn(db: Db) {
  const emotes = emotesCollection.in(db);
  return {
    /** Sorted by name; null for the global set. */
    ofSet: (channelUserId: string | null, session?: ClientSession) =>
      emotes
        .find({ channelUserId }, session ? { session } : {})
        .sort({ name: 1 })
        .limit(MAX_EMOTES)
        .toArray(),
    find: (_id: string, channelUserId: string | null, session: ClientSession) =>
      emotes.findOne({ _id, channelUserId }, { session }),
    insert: async (doc: EmoteDoc, session: ClientSession) => void (await emotes.insertOne(doc, { session })),
    /** The removed emote; null when the set has no such emote. */
    remove: (_id: string, channelUserId: string | null, session: ClientSession) =>
      emotes.findOneAndDelete({ _id, channelUserId }, { session }),
  };
}
