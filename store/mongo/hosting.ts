import type { ClientSession, Db, Filter } from "mongodb";
import { defineCollection } from "./collection.ts";

/** What a channel shows beside its own broadcast, or instead of one. */
export type Hosted = {
  id: number;
  targetId: string;
  targetStreamId: string;
  isAuto: boolean;
  startedAt: Date;
  /** Since when the target is seen to be offline. */
  targetGoneAt: Date | null;
};

/** What a channel hosts and would host by itself; `_id` is its owner. */
export type HostingDoc = {
  _id: string;
  streamId: string;
  /** Rises with every change of `hosted`; orders its events. */
  version: number;
  hosted: Hosted | null;
  /** User ids in the order in which they are tried when the owner's broadcast ends. */
  autoHost: string[];
  /** Set when a broadcast has ended, until the list was tried. */
  autoDueAt: Date | null;
};

const isSet = { $exists: true };

export const hostingCollection = defineCollection<HostingDoc>("hosting", {
  indexes: [
    { key: { "hosted.targetStreamId": 1 }, partialFilterExpression: { "hosted.id": isSet } },
    {
      key: { "hosted.targetGoneAt": 1 },
      partialFilterExpression: { "hosted.targetGoneAt": { $type: "date" } },
    },
    { key: { autoDueAt: 1 }, partialFilterExpression: { autoDueAt: { $type: "date" } } },
  ],
});

/** A change of `hosted` as it was committed. */
export type HostingChange = { userId: string; streamId: string; version: number; ended: Hosted | null };

export function hostingIn(db: Db) {
  const hosting = hostingCollection.in(db);

  /** Sets what is hosted and leaves nothing due; null where nothing matches. */
  async function swap(
    only: Filter<HostingDoc>,
    hosted: Hosted | null,
    session: ClientSession,
  ): Promise<HostingChange | null> {
    const change = { $set: { hosted, autoDueAt: null }, $inc: { version: 1 } };
    const before = await hosting.findOneAndUpdate(only, change, { session, returnDocument: "before" });
    if (!before) return null;
    const { _id: userId, streamId, version, hosted: ended } = before;
    return { userId, streamId, version: version + 1, ended };
  }

  const make = (userId: string, streamId: string, session?: ClientSession) =>
    hosting.updateOne(
      { _id: userId },
      { $setOnInsert: { streamId, version: 0, hosted: null, autoHost: [], autoDueAt: null } },
      { upsert: true, ...(session ? { session } : {}) },
    );

  return {
    find: (userId: string) => hosting.findOne({ _id: userId }),

    /** Instead of whatever was hosted before. */
    async start(userId: string, streamId: string, hosted: Hosted, session: ClientSession) {
      await make(userId, streamId, session);
      return swap({ _id: userId }, hosted, session);
    },
    /** Null when nothing is due any more as it was in `due`, or something is hosted already. */
    tryAuto: (due: HostingDoc, hosted: Hosted | null, session: ClientSession) =>
      swap({ _id: due._id, autoDueAt: due.autoDueAt, hosted: null }, hosted, session),
    /** Null when nothing is hosted, or with an id something else. */
    end: (userId: string, id: number | null, session: ClientSession) =>
      swap({ _id: userId, "hosted.id": id ?? isSet }, null, session),

    async setAutoHost(userId: string, streamId: string, autoHost: string[]): Promise<void> {
      await make(userId, streamId);
      await hosting.updateOne({ _id: userId }, { $set: { autoHost } });
    },

    /** Ends what these owners host, and what they would: they are live themselves. */
    async broadcastsBegan(userIds: string[], session: ClientSession): Promise<HostingChange[]> {
      const found = await hosting.find({ _id: { $in: userIds } }, { session }).toArray();
      const changes: HostingChange[] = [];
      for (const { _id } of found) {
        const change = await swap({ _id }, null, session);
        if (change) changes.push(change);
      }
      return changes;
    },
    /** Their lists are due, unless they host by hand. */
    async broadcastsEnded(ended: { userId: string; at: Date }[], session: ClientSession): Promise<void> {
      const each = ended.map(({ userId: _id, at }) => ({
        updateOne: {
          filter: { _id, hosted: null, "autoHost.0": isSet },
          update: { $set: { autoDueAt: at } },
        },
      }));
      await hosting.bulkWrite(each, { session });
    },
    due: (now: Date, limit: number) =>
      hosting
        .find({ autoDueAt: { $lte: now } })
        .limit(limit)
        .toArray(),

    /** Streams that somebody hosts, each once. */
    async *targets(size: number): AsyncGenerator<string[]> {
      const stages = [{ $match: { "hosted.id": isSet } }, { $group: { _id: "$hosted.targetStreamId" } }];
      const found = hosting.aggregate<{ _id: string }>(stages, { batchSize: size });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size).map(({ _id }) => _id);
      } finally {
        await found.close();
      }
    },
    /** Keeps since when the targets of hosts are gone. */
    async noteTargets({ live, gone }: { live: string[]; gone: string[] }, now: Date): Promise<void> {
      const of = (ids: string[]) => ({ "hosted.targetStreamId": { $in: ids }, "hosted.id": isSet });
      const back = { ...of(live), "hosted.targetGoneAt": { $type: "date" as const } };
      await hosting.updateMany(back, { $set: { "hosted.targetGoneAt": null } });
      const left = { ...of(gone), "hosted.targetGoneAt": null };
      await hosting.updateMany(left, { $set: { "hosted.targetGoneAt": now } });
    },
    goneSince: (at: Date, limit: number) =>
      hosting
        .find({ "hosted.targetGoneAt": { $lte: at } })
        .limit(limit)
        .toArray(),
  };
}
