import type { ClientSession, Db, IndexDescription } from "mongodb";

/** One broadcast of a stream, from its first picture to the end of its grace; `_id` is the session's id. */
export type BroadcastDoc = {
  _id: string;
  streamId: string;
  ownerId: string;
  startedAt: Date;
  endedAt: Date | null;
  endReason: "finished" | "key_rotated" | "banned" | null;
  peakViewers: number;
  /** Average = viewerSum / samples. */
  viewerSum: number;
  samples: number;
};

export const broadcastIndexes = [
  { key: { streamId: 1, startedAt: -1 } }, // pageOf
] satisfies IndexDescription[];

export function broadcastsIn(db: Db) {
  const broadcasts = db.collection<BroadcastDoc>("broadcasts");
  return {
    find: (sessionId: string) => broadcasts.findOne({ _id: sessionId }),
    /** Newest first. */
    async pageOf(streamId: string, skip: number, limit: number) {
      const [items, total] = await Promise.all([
        broadcasts.find({ streamId }).sort({ startedAt: -1 }).skip(skip).limit(limit).toArray(),
        broadcasts.countDocuments({ streamId }),
      ]);
      return { items, total };
    },
    begin: async (doc: BroadcastDoc, session: ClientSession) =>
      void (await broadcasts.replaceOne({ _id: doc._id }, doc, { upsert: true, session })),
    end: async (
      sessionId: string,
      end: Pick<BroadcastDoc, "endedAt" | "endReason">,
      session: ClientSession,
    ) => void (await broadcasts.updateOne({ _id: sessionId }, { $set: end }, { session })),
    /** Counts one look at the viewers of a broadcast that runs. */
    sample: async (sessionId: string, viewers: number) =>
      void (await broadcasts.updateOne(
        { _id: sessionId, endedAt: null },
        { $max: { peakViewers: viewers }, $inc: { viewerSum: viewers, samples: 1 } },
      )),
  };
}

export type Broadcasts = ReturnType<typeof broadcastsIn>;
