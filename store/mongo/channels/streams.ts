import type { ClientSession, Db, UpdateFilter } from "mongodb";
import { newId } from "../../../base/ids.ts";
import type { Position } from "../../../base/room-position.ts";
import { defineCollection } from "../driver/collection.ts";
import { type ChatModesDoc, defaultChatModes } from "../host/chat-modes.ts";
import { mediaChangesIn } from "../host/media-changes.ts";
import {
  type ListPosition,
  positionEnded,
  positionTaken,
  streamPositionIndexes,
} from "./stream-positions.ts";
import { streamTitleOf, streamTitlesIn } from "./stream-titles.ts";

/** One rendition of a running broadcast, as the media service produces it (StreamQuality in docs/interface.md#2-resources). */
export type QualityDoc = {
  id: number;
  label: string;
  width: number;
  height: number;
  fps: number;
  /** kbit/s. */
  bitrate: number;
  isDefault: boolean;
  status: "processing" | "ready" | "failed";
  /** Path of its manifest, relative to the stream's folder on the edge. */
  path: string;
};

/** The message that is pinned in a room, until when; null: until somebody unpins it. */
export type PinDoc = { uuid: string; at: Date; until: Date | null };

/** The step of a broadcast, since when. */
export type IngestDoc = { status: "offline" | "starting" | "live" | "interrupted"; at: Date };

/** A channel's one stream: created with the account and kept as long as it; a broadcast is a session of it. */
export type StreamDoc = {
  _id: string;
  userId: string;
  /** The room's integer id, as in ChatMessage.room_id. */
  roomId: number;
  name: string;
  thumbnailUrl: string | null;
  categoryId: string | null;
  language: string | null;
  isMature: boolean;
  tags: string[];
  ingressId: string;
  mediaStreamId: string | null;
  ingressPullUrl: string | null;
  /** SHA-256 of the stream key, hex: publish hooks are matched by it. */
  streamKeyHash: string;
  /** The key sealed with MASTER_KEY, since its owner may read it again. */
  streamKeySealed: string;
  isLive: boolean;
  liveSince: Date | null;
  /** How far the broadcast has come, for its owner; absent before the first one, and since an older release. */
  ingest?: IngestDoc;
  /** The running broadcast, null when offline. */
  sessionId: string | null;
  modes: ChatModesDoc;
  /**
   * Whether banned users may ask to be unbanned; absent: they may. Not one of the modes, which workers of older releases write as they know
   * them.
   */
  takesUnbanRequests?: boolean;
  /** Rises with every moderation action or mode change; orders their room events. */
  chatVersion: number;
  /** Rises with every change of what a message's text is checked with; absent when nothing was ever configured. */
  chatConfigVersion?: number;
  /** All messages up to this position are deleted; absent if chat was never cleared. */
  chatCleared?: Position;
  /** Up to where all of them are marked as deleted, too (jobs/chat/deleted-texts); absent until the first time. */
  chatClearedMarked?: Position;
  /** Null or absent without one. */
  pin?: PinDoc | null;
  /** The last epoch taken for its room; absent until the first. */
  chatEpoch?: number;
  /** Viewers at the last count; the live figure is in Redis. */
  viewerCount: number;
  /** Its position in lists of live streams; absent when it has none. */
  place?: ListPosition;
  /** Of the running or latest broadcast; absent until the media service has reported some. */
  qualities?: QualityDoc[];
  /** When the media service reported them, by its own clock. */
  qualitiesAt?: Date;
  /**
   * When the media service took `thumbnailUrl`, by its own clock, or when the picture was removed; null or absent for one that
   * the owner chose, and if there was none.
   */
  thumbnailAt?: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A new stream: offline, without any settings by its owner. */
export function newStreamDoc(
  own: Pick<StreamDoc, "_id" | "userId" | "roomId" | "name" | "streamKeyHash" | "streamKeySealed">,
  at: Date,
): StreamDoc {
  return {
    ...own,
    thumbnailUrl: null,
    categoryId: null,
    language: null,
    isMature: false,
    tags: [],
    ingressId: newId(),
    mediaStreamId: null,
    ingressPullUrl: null,
    isLive: false,
    liveSince: null,
    sessionId: null,
    modes: defaultChatModes,
    chatVersion: 0,
    viewerCount: 0,
    createdAt: at,
    updatedAt: at,
  };
}

/** A partial index on live streams only. */
export const LIVE_BY_USER = { userId: 1, isLive: 1 } as const;

export const streamsCollection = defineCollection<StreamDoc>("streams", {
  personal: {
    actor: "live-stream",
    erase: { userId: "delete" },
    exports: [
      {
        by: "userId",
        shows: [
          "_id",
          "roomId",
          "name",
          "categoryId",
          "language",
          "isMature",
          "tags",
          "thumbnailUrl",
          "ingressPullUrl",
          "modes",
          "takesUnbanRequests",
          "createdAt",
          "updatedAt",
        ],
      },
    ],
  },

  indexes: [
    { key: { userId: 1 }, unique: true },
    { key: { streamKeyHash: 1 }, unique: true },
    { key: { roomId: 1 }, unique: true },
    { key: { isLive: 1, _id: 1 } },
    { key: LIVE_BY_USER, partialFilterExpression: { isLive: true } }, // of followed channels
    // Of a category that is removed.
    { key: { categoryId: 1 }, partialFilterExpression: { categoryId: { $type: "string" } } },
    ...streamPositionIndexes,
  ],
  retired: [
    { isLive: 1, viewerCount: -1, _id: 1 },
    { isLive: 1, liveSince: -1, _id: 1 },
  ],
});

const DURABLE = { w: "majority", journal: true } as const;

type BroadcastBegun = { streamId: string; sessionId: string; liveSince: Date; at: Date };
type BroadcastEnded = { streamId: string; at: Date };

/** Removes the picture, and any taken before `at`; the media service's clock may be ahead of ours. */
export const withoutThumbnail = ({ thumbnailAt }: Pick<StreamDoc, "thumbnailAt">, at: Date) => ({
  thumbnailUrl: null,
  thumbnailAt: thumbnailAt && thumbnailAt > at ? thumbnailAt : at,
});

export type ShownStream = { streamId: string; sessionId: string | null; viewerCount: number };

/** A stream key as stored: its hash, and sealed for its owner. */
export type NewStreamKey = { streamId: string; keyHash: string; keySealed: string };

export function streamsIn(db: Db) {
  const streams = streamsCollection.in(db);
  const titles = streamTitlesIn(db);
  const mediaChanges = mediaChangesIn(db);
  return {
    async insert(doc: StreamDoc, session?: ClientSession): Promise<void> {
      await streams.insertOne(doc, session ? { session } : {});
      await titles.insert(streamTitleOf(doc, 0), session);
    },
    find: (streamId: string, session?: ClientSession) =>
      streams.findOne({ _id: streamId }, session ? { session } : {}),
    findByUser: (userId: string, session?: ClientSession) =>
      streams.findOne({ userId }, session ? { session } : {}),
    findByKeyHash: (streamKeyHash: string) => streams.findOne({ streamKeyHash }),
    findMany: (ids: string[]) => streams.find({ _id: { $in: ids } }).toArray(),
    findByUsers: (userIds: string[]) => streams.find({ userId: { $in: userIds } }).toArray(),
    /** Which of these users' channels are live. */
    async liveAmong(userIds: string[]): Promise<ReadonlySet<string>> {
      const live = streams.find({ userId: { $in: userIds }, isLive: true }, { projection: { userId: 1 } });
      return new Set((await live.toArray()).map(({ userId }) => userId));
    },
    /** Updates a stream and returns the result; null when there is none. */
    async update(
      streamId: string,
      change: UpdateFilter<StreamDoc>,
      session?: ClientSession,
    ): Promise<StreamDoc | null> {
      const stream = await streams.findOneAndUpdate({ _id: streamId }, change, {
        returnDocument: "after",
        ...(session ? { session } : {}),
      });
      if (stream && change.$set?.name !== undefined) await titles.rename(stream, session);
      return stream;
    },
    /** In the given order, each with a viewer count of 0. */
    async turnLive(begun: BroadcastBegun[], session: ClientSession): Promise<void> {
      const each = begun.map(({ streamId, sessionId, liveSince, at }) => {
        const live = { isLive: true, sessionId, liveSince, updatedAt: at, viewerCount: 0 };
        const update = [{ $set: { ...live, place: positionTaken(liveSince, at) } }];
        return { updateOne: { filter: { _id: streamId }, update } };
      });
      await streams.bulkWrite(each, { session });
      await titles.turn(
        begun.map(({ streamId }) => streamId),
        true,
        session,
      );
    },
    /** In the given order. */
    async turnOffline(ended: BroadcastEnded[], session: ClientSession): Promise<void> {
      const each = ended.map(({ streamId, at }) => {
        const offline = { isLive: false, sessionId: null, liveSince: null, updatedAt: at, viewerCount: 0 };
        const update = [{ $set: { ...offline, place: positionEnded(at) } }];
        return { updateOne: { filter: { _id: streamId }, update } };
      });
      await streams.bulkWrite(each, { session });
      await titles.turn(
        ended.map(({ streamId }) => streamId),
        false,
        session,
      );
    },
    /** In the given order. */
    async setKeys(set: (NewStreamKey & { at: Date })[], session: ClientSession): Promise<void> {
      const each = set.map(({ streamId, keyHash, keySealed, at }) => {
        const $set = { streamKeyHash: keyHash, streamKeySealed: keySealed, updatedAt: at };
        return { updateOne: { filter: { _id: streamId }, update: { $set } } };
      });
      await streams.bulkWrite(each, { session });
    },
    /** In the given order. */
    async setIngest(steps: { streamId: string; ingest: IngestDoc }[], session: ClientSession): Promise<void> {
      const each = steps.map(({ streamId, ingest }) => ({
        updateOne: { filter: { _id: streamId }, update: { $set: { ingest } } },
      }));
      await streams.bulkWrite(each, { session });
    },
    /** In the given order. */
    async nameMediaStreams(
      named: { streamId: string; mediaStreamId: string }[],
      session: ClientSession,
    ): Promise<void> {
      const each = named.map(({ streamId, mediaStreamId }) => ({
        updateOne: { filter: { _id: streamId }, update: { $set: { mediaStreamId } } },
      }));
      if (each.length > 0) await streams.bulkWrite(each, { session });
    },
    /** Unless the owner has chosen a picture, or there is a later one, or it was removed since. */
    async setLiveThumbnail(streamId: string, thumbnailUrl: string, takenAt: Date): Promise<void> {
      const isWanted = {
        $or: [
          { thumbnailUrl: null, thumbnailAt: { $not: { $gte: takenAt } } },
          { thumbnailAt: { $lt: takenAt } },
        ],
      };
      await streams.updateOne(
        { _id: streamId, ...isWanted },
        { $set: { thumbnailUrl, thumbnailAt: takenAt } },
        { writeConcern: DURABLE },
      );
    },
    /** The media service removes the pictures that it took of the stream until now. */
    removePictures: (streamId: string, at: Date, session: ClientSession) =>
      mediaChanges.add({ kind: "stream", id: streamId }, { at }, session),
    /** Unless the owner has chosen a picture. Earlier ones don't come back, as after withoutThumbnail. */
    async clearLiveThumbnail(streamId: string, at: Date): Promise<void> {
      const isTaken = { thumbnailUrl: { $type: "string" as const }, thumbnailAt: { $type: "date" as const } };
      const thumbnailAt = { $max: ["$thumbnailAt", at] };
      await streams.updateOne({ _id: streamId, ...isTaken }, [{ $set: { thumbnailUrl: null, thumbnailAt } }]);
    },
    /** Unless there are later ones. */
    async setQualities(streamId: string, qualities: QualityDoc[], qualitiesAt: Date): Promise<void> {
      await streams.updateOne(
        { _id: streamId, qualitiesAt: { $not: { $gte: qualitiesAt } } },
        { $set: { qualities, qualitiesAt } },
        { writeConcern: DURABLE },
      );
    },
    /** Viewers of live streams at the last count, by category. */
    async liveByCategory(): Promise<Map<string, number>> {
      const found = await streams
        .aggregate<{ _id: string; viewers: number }>([
          { $match: { isLive: true, categoryId: { $type: "string" } } },
          { $group: { _id: "$categoryId", viewers: { $sum: "$viewerCount" } } },
        ])
        .toArray();
      return new Map(found.map(({ _id, viewers }) => [_id, viewers]));
    },
    /** Live streams, with the viewer counts that lists show. */
    async shownLive(): Promise<ShownStream[]> {
      const projection = { viewerCount: 1, sessionId: 1 } as const;
      const docs = await streams.find({ isLive: true }, { projection, batchSize: 1_000 }).toArray();
      return docs.map(({ _id, sessionId, viewerCount }) => ({ streamId: _id, sessionId, viewerCount }));
    },
    /** Live streams, with their owners. */
    async liveChannels(): Promise<{ streamId: string; userId: string }[]> {
      const projection = { userId: 1 } as const;
      const docs = await streams.find({ isLive: true }, { projection, batchSize: 1_000 }).toArray();
      return docs.map(({ _id, userId }) => ({ streamId: _id, userId }));
    },
    /** Skips streams that have gone offline in the meantime. */
    async setViewerCounts(counts: readonly { streamId: string; viewerCount: number }[]): Promise<void> {
      const each = counts.map(({ streamId, viewerCount }) => ({
        updateOne: { filter: { _id: streamId, isLive: true }, update: { $set: { viewerCount } } },
      }));
      await streams.bulkWrite(each, { ordered: false });
    },
    /**
     * Takes a new epoch for the room, at least `least`, which nobody has taken before; null when there is no such stream.
     * An epoch in which nothing is ever written does no harm.
     */
    async takeEpoch(streamId: string, least: number): Promise<{ stream: StreamDoc; epoch: number } | null> {
      const later = [least, { $add: ["$chatEpoch", 1] }, { $add: ["$chatCleared.epoch", 1] }];
      const stream = await streams.findOneAndUpdate(
        { _id: streamId },
        [{ $set: { chatEpoch: { $max: later } } }],
        { returnDocument: "after" },
      );
      return stream && { stream, epoch: stream.chatEpoch ?? least };
    },
    clearedUpTo: async (streamId: string): Promise<Position | null> =>
      (await streams.findOne({ _id: streamId }, { projection: { chatCleared: 1 } }))?.chatCleared ?? null,
    /** Monotonic: the later position wins. */
    async setCleared(streamId: string, chatCleared: Position): Promise<void> {
      const { epoch, seq } = chatCleared;
      const isLater = {
        $or: [
          { "chatCleared.epoch": { $not: { $gte: epoch } } },
          { "chatCleared.epoch": epoch, "chatCleared.seq": { $lt: seq } },
        ],
      };
      await streams.updateOne({ _id: streamId, ...isLater }, { $set: { chatCleared } });
    },
  };
}

export type Streams = ReturnType<typeof streamsIn>;
