import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** A moment of a broadcast that somebody who runs the channel wants to find again. */
export type MarkerDoc = {
  _id: string;
  streamId: string;
  /** The channel's owner. */
  ownerId: string;
  by: string;
  description: string | null;
  /** The moment itself. */
  createdAt: Date;
};

export const markersCollection = defineCollection<MarkerDoc>("markers", {
  personal: {
    erase: { ownerId: "delete", by: "delete" },
    exports: [{ by: "by", shows: ["streamId", "description", "createdAt"] }],
  },

  indexes: [
    { key: { streamId: 1, createdAt: 1, _id: 1 } }, // pageBetween, countSince
    { key: { ownerId: 1 } }, // erasure
    { key: { by: 1 } }, // export and erasure
  ],
});

export function markersIn(db: Db) {
  const markers = markersCollection.in(db);
  return {
    find: (id: string, session: ClientSession) => markers.findOne({ _id: id }, { session }),
    /** Oldest first; `to` is exclusive. */
    pageBetween: (streamId: string, { from, to }: { from: Date; to: Date }, range: Range) =>
      pageIn(markers, { streamId, createdAt: { $gte: from, $lt: to } }, { createdAt: 1, _id: 1 }, range),
    countSince: (streamId: string, since: Date, most: number, session: ClientSession): Promise<number> =>
      markers.countDocuments({ streamId, createdAt: { $gte: since } }, { limit: most, session }),
    insert: async (doc: MarkerDoc, session: ClientSession) =>
      void (await markers.insertOne(doc, { session })),
    /** False when it isn't there. */
    remove: async (streamId: string, id: string, session: ClientSession): Promise<boolean> =>
      (await markers.deleteOne({ _id: id, streamId }, { session })).deletedCount > 0,
  };
}
