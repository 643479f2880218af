import type { ClientSession, Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export const RAID_STATUSES = ["pending", "active", "completed", "cancelled"] as const;
type RaidStatus = (typeof RAID_STATUSES)[number];

/** The read model of a raid: written by its actor with every commit, never by anyone else. */
export type RaidDoc = {
  _id: string;
  sourceUserId: string;
  sourceStreamId: string;
  targetUserId: string;
  targetStreamId: string;
  status: RaidStatus;
  /** True while pending or active: at most one per source. */
  isOpen: boolean;
  /** Whether members who open the target's chat are counted as arrived. */
  takesArrivals: boolean;
  /** Members that left with it; once completed, those that have arrived. */
  viewerCount: number;
  message: string | null;
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
};

/** The unique index that allows one open raid per source, as `violatedIndex` names it. */
export const ONE_OPEN_A_SOURCE = "raids.one_open_a_source";

/** From a raid's creation; it can't be started manually before. */
export const RAID_HOLD_MS = 10_000;
/** From a raid's creation until it starts by itself. */
export const RAID_COUNTDOWN_MS = 90_000;
/** From a raid's start; later arrivals don't count. */
export const RAID_ARRIVAL_MS = MINUTE_MS;

/** Raids towards one channel that its sockets are shown, and that keep counting arrivals. */
const MAX_SHOWN = 50;

/** A filter of raids that have departed, for an index of these alone. */
export const DEPARTED = { $gte: new Date(0) };

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
    // The activity feed.
    { key: { targetUserId: 1, startedAt: -1, _id: -1 }, partialFilterExpression: { startedAt: DEPARTED } },
  ],
});

export function raidsIn(db: Db) {
  const raids = raidsCollection.in(db);
  return {
    find: (id: string) => raids.findOne({ _id: id }),
    openFrom: (sourceStreamId: string) => raids.findOne({ sourceStreamId, isOpen: true }),
    /** Raids from this user's channel, newest first. */
    begunSince: (sourceUserId: string, since: Date, limit: number) =>
      raids
        .find({ sourceUserId, createdAt: { $gt: since } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    /** Open raids from or towards this stream, newest first. */
    openAround: (streamId: string) =>
      raids
        .find({
          $or: [
            { sourceStreamId: streamId, isOpen: true },
            { targetStreamId: streamId, isOpen: true },
          ],
        })
        .sort({ createdAt: -1 })
        .limit(MAX_SHOWN)
        .toArray(),
    /** Pending raids towards one of these streams. */
    async pendingTowards(streamIds: string[], session: ClientSession): Promise<RaidDoc[]> {
      const found = raids.find({ targetStreamId: { $in: streamIds }, isOpen: true }, { session });
      return (await found.toArray()).filter(({ status }) => status === "pending");
    },
    /** Raids from and towards this user's channel, newest first. */
    page: (userId: string, range: Range) =>
      pageIn(
        raids,
        { $or: [{ sourceUserId: userId }, { targetUserId: userId }] },
        { createdAt: -1, _id: -1 },
        range,
      ),
    /** A second open raid of a source causes a duplicate key. */
    save: (docs: RaidDoc[], session: ClientSession) => putAll(raids, docs, session),
  };
}
