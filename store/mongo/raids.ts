import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

export type RaidStatus = "pending" | "active" | "completed" | "cancelled";

/** A raid as it reads: written by its actor with every commit, never by anyone else. */
export type RaidDoc = {
  _id: string;
  sourceUserId: string;
  sourceStreamId: string;
  targetUserId: string;
  targetStreamId: string;
  status: RaidStatus;
  /** True while pending or active: a source has at most one such. */
  isOpen: boolean;
  /** Members who open the target's chat are counted as arrived. */
  takesArrivals: boolean;
  /** Members that left with it; once completed, those that arrived. */
  viewerCount: number;
  message: string | null;
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
};

/** The index by which a source has at most one open raid, as a violation of it is named. */
export const ONE_OPEN_A_SOURCE = "raids.one_open_a_source";

/** From a raid's beginning; nobody can start it sooner. */
export const RAID_HOLD_MS = 10_000;
/** From a raid's beginning until it goes by itself. */
export const RAID_COUNTDOWN_MS = 90_000;
/** From its going; whoever comes later doesn't count. */
export const RAID_ARRIVAL_MS = 60_000;

/** Raids towards one channel that its sockets are shown, and that go on counting arrivals. */
const SHOWN = 50;

export const raidsCollection = defineCollection<RaidDoc>("raids", {
  personal: {
    actor: "raid",
    erase: {
      sourceUserId: { does: "anonymise", sets: { message: null } },
      targetUserId: "anonymise",
      createdBy: "anonymise",
    },
    exports: [
      {
        by: "sourceUserId",
        shows: ["targetUserId", "status", "viewerCount", "message", "createdAt", "completedAt"],
      },
    ],
  },

  indexes: [
    {
      key: { sourceStreamId: 1 },
      unique: true,
      partialFilterExpression: { isOpen: true },
      name: "one_open_a_source",
    },
    // pendingTowards, openAround
    { key: { targetStreamId: 1, createdAt: -1 }, partialFilterExpression: { isOpen: true } },
    // page, begunSince
    { key: { sourceUserId: 1, createdAt: -1, _id: -1 } },
    { key: { targetUserId: 1, createdAt: -1, _id: -1 } },
  ],
});

export function raidsIn(db: Db) {
  const raids = raidsCollection.in(db);
  return {
    find: (id: string) => raids.findOne({ _id: id }),
    openFrom: (sourceStreamId: string) => raids.findOne({ sourceStreamId, isOpen: true }),
    /** From this user's channel, the newest first. */
    begunSince: (sourceUserId: string, since: Date, limit: number) =>
      raids
        .find({ sourceUserId, createdAt: { $gt: since } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Open ones from this stream or towards it, the newest first. */
    openAround: (streamId: string) =>
      raids
        .find({
          $or: [
            { sourceStreamId: streamId, isOpen: true },
            { targetStreamId: streamId, isOpen: true },
          ],
        })
        .sort({ createdAt: -1 })
        .limit(SHOWN)
        .toArray(),
    /** Those that wait to go to one of these streams. */
    async pendingTowards(streamIds: string[], session: ClientSession): Promise<RaidDoc[]> {
      const found = raids.find({ targetStreamId: { $in: streamIds }, isOpen: true }, { session });
      return (await found.toArray()).filter(({ status }) => status === "pending");
    },
    /** From this user's channel and towards it, the newest first. */
    page: (userId: string, skip: number, limit: number) =>
      pageIn(
        raids,
        { $or: [{ sourceUserId: userId }, { targetUserId: userId }] },
        { createdAt: -1, _id: -1 },
        { skip, limit },
      ),
    /** A second open one of a source is a duplicate key. */
    save: async (docs: RaidDoc[], session: ClientSession) =>
      void (await raids.bulkWrite(
        docs.map((doc) => ({ replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true } })),
        { session },
      )),
  };
}
