import type { ClientSession, Db, Filter } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A channel that another one hosts, besides or instead of its own broadcast. */
export type Hosted = {
  id: number;
  targetId: string;
  targetStreamId: string;
  isAuto: boolean;
  startedAt: Date;
  /** Since when the target is known to be offline. */
  targetGoneAt: Date | null;
};

/** What a channel hosts, and its auto-host list; `_id` is its owner. */
export type HostingDoc = {
  _id: string;
  streamId: string;
  /** Rises with every change of `hosted`; orders its events. */
  version: number;
  hosted: Hosted | null;
  /** User ids in the order in which they are tried after the owner's broadcast ends. */
  autoHost: string[];
  /** Set when a broadcast has ended, until the list has been tried. */
  autoDueAt: Date | null;
};

const isSet = { $exists: true };
const isDate = { $type: "date" } as const;
const isText = { $gte: "" };

export const hostingCollection = defineCollection<HostingDoc>("hosting", {
  personal: {
    erase: { _id: "delete", autoHost: "remove", "hosted.targetId": "anonymise" },
    exports: [{ by: "_id", shows: ["autoHost"] }],
  },

  // Queries have to repeat the condition to use a partial index.
  indexes: [
    {
      key: { "hosted.targetStreamId": 1, "hosted.startedAt": -1, _id: -1 },
      partialFilterExpression: { "hosted.targetStreamId": isText },
    }, // targets, noteTargets, the activity feed
    { key: { "hosted.targetGoneAt": 1 }, partialFilterExpression: { "hosted.targetGoneAt": isDate } },
    { key: { autoDueAt: 1 }, partialFilterExpression: { autoDueAt: isDate } },
  ],
  retired: [{ "hosted.targetStreamId": 1 }],
});

/** A committed change of `hosted`. */
export type HostingChange = { userId: string; streamId: string; version: number; ended: Hosted | null };

export const newHosted = (
  id: number,
  target: { _id: string; userId: string },
  { isAuto, at }: { isAuto: boolean; at: Date },
): Hosted => ({
  id,
  targetId: target.userId,
  targetStreamId: target._id,
  targetGoneAt: null,
  isAuto,
  startedAt: at,
});

export function hostingIn(db: Db) {
  const hosting = hostingCollection.in(db);

  /** Sets `hosted` and clears `autoDueAt`; null when nothing matches. */
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

  const ensureDocument = (userId: string, streamId: string, session?: ClientSession) =>
    hosting.updateOne(
      { _id: userId },
      { $setOnInsert: { streamId, version: 0, hosted: null, autoHost: [], autoDueAt: null } },
      { upsert: true, ...(session ? { session } : {}) },
    );

  return {
    find: (userId: string) => hosting.findOne({ _id: userId }),

    /** Replaces what was hosted before; null when it is that target already. */
    async start(userId: string, streamId: string, hosted: Hosted, session: ClientSession) {
      await ensureDocument(userId, streamId, session);
      return swap({ _id: userId, "hosted.targetId": { $ne: hosted.targetId } }, hosted, session);
    },
    /** Null when `autoDueAt` has changed since `due` was read, or something is hosted already. */
    tryAuto: (due: HostingDoc, hosted: Hosted | null, session: ClientSession) =>
      swap({ _id: due._id, autoDueAt: due.autoDueAt, hosted: null }, hosted, session),
    /** Null when nothing is hosted, or something else than the given `id` or `targetId`. */
    end: (userId: string, { id, targetId }: Partial<Hosted>, session: ClientSession) =>
      swap({ _id: userId, "hosted.id": id ?? isSet, "hosted.targetId": targetId ?? isSet }, null, session),
    /** Back-off after a failure, so that others come first. */
    postpone: async (userId: string, autoDueAt: Date) =>
      void (await hosting.updateOne({ _id: userId, autoDueAt: isDate }, { $set: { autoDueAt } })),

    async setAutoHost(userId: string, streamId: string, autoHost: string[]): Promise<void> {
      await ensureDocument(userId, streamId);
      await hosting.updateOne({ _id: userId }, { $set: { autoHost } });
    },

    /** Ends hosting and pending auto-hosting of these owners, since they are live themselves. */
    async broadcastsStarted(userIds: string[], session: ClientSession): Promise<HostingChange[]> {
      const found = await hosting.find({ _id: { $in: userIds } }, { session }).toArray();
      const changes: HostingChange[] = [];
      for (const { _id } of found) {
        const change = await swap({ _id }, null, session);
        if (change) changes.push(change);
      }
      return changes;
    },
    /** Makes their auto-host lists due, unless they host manually. */
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
        .find({ autoDueAt: { ...isDate, $lte: now } })
        .sort({ autoDueAt: 1 })
        .limit(limit)
        .toArray(),

    /** Hosted streams, each once. */
    async *targets(size: number): AsyncGenerator<string[]> {
      const stages = [
        { $match: { "hosted.targetStreamId": isText } },
        { $group: { _id: "$hosted.targetStreamId" } },
      ];
      const found = hosting.aggregate<{ _id: string }>(stages, { batchSize: size });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size).map(({ _id }) => _id);
      } finally {
        await found.close();
      }
    },
    /** Records since when targets have been offline. */
    async noteTargets({ live, offline }: { live: string[]; offline: string[] }, now: Date): Promise<void> {
      const of = (ids: string[]) => ({ "hosted.targetStreamId": { $in: ids, ...isText } });
      const cameBack = { ...of(live), "hosted.targetGoneAt": isDate };
      await hosting.updateMany(cameBack, { $set: { "hosted.targetGoneAt": null } });
      const wentOffline = { ...of(offline), "hosted.targetGoneAt": null };
      await hosting.updateMany(wentOffline, { $set: { "hosted.targetGoneAt": now } });
    },
    targetOfflineSince: (at: Date, limit: number) =>
      hosting
        .find({ "hosted.targetGoneAt": { ...isDate, $lte: at } })
        .sort({ "hosted.targetGoneAt": 1 })
        .limit(limit)
        .toArray(),
  };
}
