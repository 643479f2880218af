import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A custom badge: a channel's is made by its owner, the others by staff. Those of roles and subscriptions are built in. */
export type BadgeDoc = {
  _id: string;
  type: "global" | "channel" | "special";
  /** The channel's owner; null for staff's. */
  channelUserId: string | null;
  name: string;
  /** "#rrggbb" */
  color: string | null;
  imageUrl: string;
  /** Its name in the file store. */
  file: string;
  createdAt: Date;
};

/** Per set: a channel's, or staff's. */
export const MAX_BADGES = 50;

export const badgesCollection = defineCollection<BadgeDoc>("badges", {
  personal: {
    erase: { channelUserId: "delete" },
    exports: [{ by: "channelUserId", shows: ["_id", "name", "color", "imageUrl", "createdAt"] }],
  },
  indexes: [{ key: { channelUserId: 1, createdAt: 1 } }], // ofSet
});

export function badgesIn(db: Db) {
  const badges = badgesCollection.in(db);
  return {
    /** Oldest first; null for staff's set. */
    ofSet: (channelUserId: string | null, session?: ClientSession) =>
      badges
        .find({ channelUserId }, session ? { session } : {})
        .sort({ createdAt: 1, _id: 1 })
        .limit(MAX_BADGES)
        .toArray(),
    findMany: (ids: readonly string[]) => badges.find({ _id: { $in: [...ids] } }).toArray(),
    /** Only within that set. */
    find: (_id: string, channelUserId: string | null, session: ClientSession) =>
      badges.findOne({ _id, channelUserId }, { session }),
    insert: async (doc: BadgeDoc, session: ClientSession) => void (await badges.insertOne(doc, { session })),
    /** The removed badge; null when the set has no such badge. */
    remove: (_id: string, channelUserId: string | null, session: ClientSession) =>
      badges.findOneAndDelete({ _id, channelUserId }, { session }),
  };
}
