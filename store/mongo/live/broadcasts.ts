import type { ClientSession, Db } from "mongodb";
import { byIds, loadingOne, putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** One broadcast of a stream, from its first frame to the end of its grace period; `_id` is the session's id. */
export type BroadcastDoc = {
  _id: string;
  streamId: string;
  ownerId: string;
  startedAt: Date;
  endedAt: Date | null;
  endReason: "finished" | "ended" | "key_rotated" | "banned" | null;
  peakViewers: number;
  /** Average = viewerSum / samples. */
  viewerSum: number;
  samples: number;
};

type BroadcastEnd = Pick<BroadcastDoc, "_id" | "endedAt" | "endReason">;

export const broadcastsCollection = defineCollection<BroadcastDoc>("broadcasts", {
  personal: {
    erase: { ownerId: "delete" },
    exports: [
      { by: "ownerId", shows: ["startedAt", "endedAt", "endReason", "peakViewers", "viewerSum", "samples"] },
    ],
  },

  indexes: [
    { key: { ownerId: 1 } }, // export and erasure

    { key: { streamId: 1, startedAt: -1 } }, // pageOf
  ],
});

export function broadcastsIn(db: Db) {
  const broadcasts = broadcastsCollection.in(db);

  /** The last broadcast that began before then; null for none. */
  const lastBefore = (streamId: string, then: Date): Promise<BroadcastDoc | null> =>
    broadcasts.findOne({ streamId, startedAt: { $lt: then } }, { sort: { startedAt: -1 } });

  return {
    find: loadingOne(broadcasts),
    findMany: (ids: string[]): Promise<BroadcastDoc[]> => byIds(broadcasts, ids),
    /** The running or latest broadcast; null before the first. */
    lastOf: (streamId: string) => broadcasts.findOne({ streamId }, { sort: { startedAt: -1 } }),
    lastBefore,
    /** The last broadcast that overlaps that time; null for none. */
    async runningIn(streamId: string, from: Date, to: Date): Promise<BroadcastDoc | null> {
      const last = await lastBefore(streamId, to);
      return last && (last.endedAt === null || last.endedAt > from) ? last : null;
    },
    /** Broadcasts that started before then, newest first. */
    earlierThan: (streamId: string, then: Date, limit: number, session: ClientSession) =>
      broadcasts
        .find({ streamId, startedAt: { $lt: then } }, { session })
        .sort({ startedAt: -1 })
        .limit(limit)
        .toArray(),
    /** Newest first. */
    pageOf: (streamId: string, range: Range) => pageIn(broadcasts, { streamId }, { startedAt: -1 }, range),
    begin: (begun: BroadcastDoc[], session: ClientSession) => putAll(broadcasts, begun, session),
    async end(ended: BroadcastEnd[], session: ClientSession): Promise<void> {
      const each = ended.map(({ _id, ...end }) => ({
        updateOne: { filter: { _id }, update: { $set: end } },
      }));
      await broadcasts.bulkWrite(each, { session });
    },
    /** Adds samples of the viewer counts of running broadcasts. */
    async sample(seen: readonly { sessionId: string; viewers: number; looks: number }[]): Promise<void> {
      const each = seen.map(({ sessionId, viewers, looks }) => ({
        updateOne: {
          filter: { _id: sessionId, endedAt: null },
          update: { $max: { peakViewers: viewers }, $inc: { viewerSum: viewers * looks, samples: looks } },
        },
      }));
      await broadcasts.bulkWrite(each, { ordered: false });
    },
  };
}
