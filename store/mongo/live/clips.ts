import type { ClientSession, Db } from "mongodb";
import { DAY_MS } from "../../../base/durations.ts";
import { keysOf } from "../../../base/search/keys.ts";
import type { Clip } from "../../../contract/wire.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import {
  type Searchable,
  type SearchSource,
  searchableBy,
  searchIndex,
  weightOfExpression,
} from "../driver/searchable.ts";
import { type MediaChangeTime, mediaChangesIn } from "../host/media-changes.ts";
import { clipRemovalsIn } from "./clip-removals.ts";
import { type Score, scoreWith, scoreWithout } from "./trending-score.ts";

/** A part of a broadcast, as a viewer clipped it (Clip in docs/interface.md#2-resources). */
export type ClipDoc = {
  _id: string;
  streamId: string;
  broadcastId: string;
  channelUserId: string;
  /** The creator. */
  userId: string;
  title: string;
  description: string;
  /** Seconds from the start of the broadcast. */
  startTime: number;
  endTime: number;
  visibility: Clip["visibility"];
  /** As the channel was when it was made. Absent in clips that workers of the release before made: they count as not mature. */
  isMature?: boolean;
  /** Made private by the channel's owner: only the owner can show it again. */
  hiddenByOwner?: boolean;
  /** Made unlisted by the channel's owner: only the owner can make it public again. */
  unlistedByOwner?: boolean;
  status: "processing" | "ready" | "failed";
  /** Ready and public: derived, and written with both, since lists filter by it. */
  isListed: boolean;
  /** Absent until the media service has made it, and where it reported addresses instead. */
  files?: ClipFiles;
  /** Addresses as they were reported: permanent, and not signed by us. Null with `files`. */
  videoUrl: string | null;
  thumbnailUrl: string | null;
  durationSeconds: number;
  viewsCount: number;
  likesCount: number;
  /** The order of trending clips, see trending-score.ts. */
  score: Score;
  /** The pending request to the media service; null once it has replied. */
  request: ClipRequest | null;
  /** From the title and its views; absent in older clips until the nightly job has added it. */
  search?: Searchable;
  /** The day of `createdAt`, in days since 1970: lists of some days by views merge one index scan per day. */
  madeOn?: number;
  createdAt: Date;
  updatedAt: Date;
};

/** Relative to the clip's folder on the edge. */
export type ClipFiles = { video: string; thumbnail: string | null };

/** `dueAt`: when to send it; once it is taken, when to give up without a reply. */
export type ClipRequest = { isTaken: boolean; failures: number; dueAt: Date };

/** Sort orders of lists (clip-lists.ts); ties are sorted newest first. */
export const ORDERS = {
  trending: { score: -1, _id: -1 },
  recent: { createdAt: -1, _id: -1 },
  views: { viewsCount: -1, _id: -1 },
} as const;
/** For lists of some days by views. */
export const BY_DAY = { isListed: 1, madeOn: 1, ...ORDERS.views } as const;

/** Only listed clips are found by a search. */
const FOUND = { text: "title", only: { isListed: true } } as const;

export const clipsCollection = defineCollection<ClipDoc>("clips", {
  personal: {
    erase: { userId: "delete", channelUserId: "delete" },
    exports: [
      {
        by: "userId",
        shows: [
          "_id",
          "streamId",
          "title",
          "description",
          "startTime",
          "endTime",
          "visibility",
          "isMature",
          "status",
          "viewsCount",
          "likesCount",
          "createdAt",
        ],
      },
    ],
  },

  indexes: [
    // clip-lists.ts
    ...Object.values(ORDERS).flatMap((order) => [
      { key: { isListed: 1, ...order } },
      { key: { channelUserId: 1, isListed: 1, ...order } },
      { key: { userId: 1, isListed: 1, ...order } },
    ]),
    searchIndex(FOUND),
    { key: BY_DAY },
    { key: { "request.dueAt": 1 }, partialFilterExpression: { "request.dueAt": { $type: "date" } } }, // due
  ],
});

export const CLIPS: SearchSource = { collection: clipsCollection, ...FOUND };

/** Days since 1970. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

/** Of a pipeline that changes `status` or `visibility`. */
export const isListed = {
  $and: [{ $eq: ["$status", "ready"] }, { $eq: ["$visibility", "public"] }],
};

export type ClipChange = Partial<Pick<ClipDoc, "title" | "description" | "visibility">>;

export function clipsIn(db: Db) {
  const clips = clipsCollection.in(db);
  const removals = clipRemovalsIn(db);
  const mediaChanges = mediaChangesIn(db);
  const changed = (id: string, time: MediaChangeTime, session: ClientSession) =>
    mediaChanges.add({ kind: "clip", id }, time, session);

  return {
    find: (id: string, session?: ClientSession) => clips.findOne({ _id: id }, session ? { session } : {}),
    findMany: (ids: string[]) => clips.find({ _id: { $in: ids } }, inOneReply(ids.length)).toArray(),
    async insert(doc: ClipDoc, session?: ClientSession): Promise<void> {
      const search = searchableBy(doc.title, "title", doc.viewsCount);
      await clips.insertOne({ ...doc, madeOn: dayOf(doc.createdAt), search }, session ? { session } : {});
    },

    /** Null when it has been deleted in the meantime, or when this would make it more visible than the channel's owner did. */
    async change(
      id: string,
      change: ClipChange,
      { byOwner, at }: { byOwner: boolean; at: Date },
      session: ClientSession,
    ): Promise<ClipDoc | null> {
      const { visibility } = change;
      const shows = visibility !== undefined && visibility !== "private";
      const limits =
        byOwner && visibility !== undefined
          ? { hiddenByOwner: !shows, unlistedByOwner: visibility === "unlisted" }
          : {};
      const allowed = {
        ...(shows ? { hiddenByOwner: { $ne: true } } : {}),
        ...(visibility === "public" ? { unlistedByOwner: { $ne: true } } : {}),
      };
      // Literals, so that no user's text is evaluated as an expression.
      const keys = change.title === undefined ? {} : { "search.keys": keysOf(change.title, "title") };
      const set = Object.entries({ ...change, ...keys, ...limits, updatedAt: at }).map(([name, value]) => [
        name,
        { $literal: value },
      ]);
      const clip = await clips.findOneAndUpdate(
        { _id: id, ...(byOwner ? {} : allowed) },
        [{ $set: Object.fromEntries(set) }, { $set: { isListed } }],
        { returnDocument: "after", session },
      );
      // Until it is ready, the media service has no files of it. Its report is followed by a look at it.
      if (clip?.status === "ready" && visibility !== undefined) await changed(id, { at }, session);
      return clip;
    },

    /**
     * Its likes are removed later (clip-removals.ts), its files by the media service (media-changes.ts), in that turn. False when
     * the clip is already gone.
     */
    async remove(id: string, time: MediaChangeTime, session: ClientSession): Promise<boolean> {
      const { deletedCount } = await clips.deleteOne({ _id: id }, { session });
      if (deletedCount === 0) return false;
      await removals.add(id, session);
      await changed(id, time, session);
      return true;
    },

    /** False when there is no such clip. */
    async like(id: string, by: 1 | -1, weight: Score, session: ClientSession): Promise<boolean> {
      const score = by === 1 ? scoreWith(weight) : scoreWithout(weight);
      const likesCount = { $add: ["$likesCount", by] };
      const { matchedCount } = await clips.updateOne({ _id: id }, [{ $set: { likesCount, score } }], {
        session,
      });
      return matchedCount > 0;
    },
    async countViews(views: readonly { id: string; count: number; weight: Score }[], session: ClientSession) {
      const each = views.map(({ id, count, weight }) => {
        const viewsCount = { $add: ["$viewsCount", count] };
        return {
          updateOne: {
            filter: { _id: id },
            update: [
              { $set: { viewsCount, score: scoreWith(weight) } },
              { $set: { "search.weight": weightOfExpression("$viewsCount") } },
            ],
          },
        };
      });
      if (each.length > 0) await clips.bulkWrite(each, { session });
    },
    /** Of clips made by a user, or of the user's channel: those with files. */
    readyAround: (userId: string) =>
      clips
        .find({ $or: [{ userId }, { channelUserId: userId }], status: "ready" }, { projection: { _id: 1 } })
        .map(({ _id }) => _id),
    /** Clips made by a user, or of the user's channel, at most `limit`, in no particular order. */
    async someOf(userId: string, limit: number): Promise<string[]> {
      const either = { $or: [{ userId }, { channelUserId: userId }] };
      const found = clips.find(either, { projection: { _id: 1 } }).limit(limit);
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}
