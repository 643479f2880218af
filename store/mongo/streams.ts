import type { ClientSession, Db, UpdateFilter } from "mongodb";
import { newId } from "../ids.ts";
import type { Position } from "../room-position.ts";
import { defineCollection } from "./collection.ts";
import {
  type ListPosition,
  positionEnded,
  positionTaken,
  streamPositionIndexes,
} from "./stream-positions.ts";
import { streamTitleOf, streamTitlesIn } from "./stream-titles.ts";

/** Base chat settings (spec §2 ChatModes). Shield is an overlay: it never changes the others here. */
export type ChatModesDoc = {
  chatEnabled: boolean;
  slow: boolean;
  slowSeconds: number;
  followersOnly: boolean;
  followersMinutes: number;
  emoteOnly: boolean;
  uniqueChat: boolean;
  shieldMode: boolean;
};

export const defaultChatModes: ChatModesDoc = {
  chatEnabled: true,
  slow: false,
  slowSeconds: 30,
  followersOnly: false,
  followersMinutes: 0,
  emoteOnly: false,
  uniqueChat: false,
  shieldMode: false,
};

/** One rendition of a running broadcast, as the media service made it (spec §2 StreamQuality). */
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
  /** Of its manifest, relative to the stream's folder on the edge. */
  path: string;
};

/** A channel's one stream: made with the account, kept for its life; a broadcast is a session of it. */
export type StreamDoc = {
  _id: string;
  userId: string;
  /** The room's integer id, as ChatMessage.room_id shows it. */
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
  /** SHA-256 of the stream key, hex: how a publish hook is matched. */
  streamKeyHash: string;
  /** The key under MASTER_KEY, since its owner may read it again. */
  streamKeySealed: string;
  isLive: boolean;
  liveSince: Date | null;
  /** The running broadcast, null when offline. */
  sessionId: string | null;
  modes: ChatModesDoc;
  /** Rises with every moderation act or mode change; orders their room events. */
  chatVersion: number;
  /** Rises with everything that a message's text is checked with; absent where nothing of it was ever set up. */
  chatConfigVersion?: number;
  /** Everything that was said up to there is deleted; absent where chat was never cleared. */
  chatCleared?: Position;
  /** The last epoch that was taken for its room; absent until one was. */
  chatEpoch?: number;
  /** Viewers at the last count; the live figure is in Redis. */
  viewerCount: number;
  /** Its position in lists of live streams; absent when it has none. */
  place?: ListPosition;
  /** Of the running or last broadcast; absent before the media service named some. */
  qualities?: QualityDoc[];
  /** When the media service named them, by its own time. */
  qualitiesAt?: Date;
  /**
   * When the media service took `thumbnailUrl`, by its own time, or when the picture was removed; null or absent for one that
   * the owner chose, and where there was none.
   */
  thumbnailAt?: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A stream as it begins: offline, and with nothing set up by its owner. */
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

/** Of live streams alone. */
export const LIVE_BY_USER = { userId: 1, isLive: 1 } as const;

export const streamsCollection = defineCollection<StreamDoc>("streams", {
  personal: {
    actor: "live-stream",
    erase: { userId: "delete" },
    exports: [
      {
        by: "userId",
        shows: [
          "name",
          "categoryId",
          "language",
          "isMature",
          "tags",
          "thumbnailUrl",
          "ingressPullUrl",
          "modes",
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

/** What removes the picture, with every one that was taken before; the media service's clock may be ahead of ours. */
export const withoutThumbnail = ({ thumbnailAt }: Pick<StreamDoc, "thumbnailAt">, at: Date) => ({
  thumbnailUrl: null,
  thumbnailAt: thumbnailAt && thumbnailAt > at ? thumbnailAt : at,
});

export type ShownStream = { streamId: string; sessionId: string | null; viewerCount: number };

/** As tags are stored and compared. */
export const tagFrom = (tag: string): string => tag.toLowerCase();

/** A stream key as it is stored: by its hash, and sealed for its owner. */
export type NewStreamKey = { streamId: string; keyHash: string; keySealed: string };

export function streamsIn(db: Db) {
  const streams = streamsCollection.in(db);
  const titles = streamTitlesIn(db);
  return {
    async insert(doc: StreamDoc, session?: ClientSession): Promise<void> {
      await streams.insertOne(doc, session ? { session } : {});
      await titles.insert(streamTitleOf(doc, 0), session);
    },
    find: (streamId: string, session?: ClientSession) =>
      streams.findOne({ _id: streamId }, session ? { session } : {}),
    findByUser: (userId: string) => streams.findOne({ userId }),
    findByKeyHash: (streamKeyHash: string) => streams.findOne({ streamKeyHash }),
    findMany: (ids: string[]) => streams.find({ _id: { $in: ids } }).toArray(),
    findByUsers: (userIds: string[]) => streams.find({ userId: { $in: userIds } }).toArray(),
    /** Sets fields and returns the stream as it then is, or null when there is none. */
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
    /** In the order given, each with nobody counted yet. */
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
    /** In the order given. */
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
    /** In the order given. */
    async setKeys(set: (NewStreamKey & { at: Date })[], session: ClientSession): Promise<void> {
      const each = set.map(({ streamId, keyHash, keySealed, at }) => {
        const $set = { streamKeyHash: keyHash, streamKeySealed: keySealed, updatedAt: at };
        return { updateOne: { filter: { _id: streamId }, update: { $set } } };
      });
      await streams.bulkWrite(each, { session });
    },
    /** In the order given. */
    async nameMediaStreams(
      named: { streamId: string; mediaStreamId: string }[],
      session: ClientSession,
    ): Promise<void> {
      const each = named.map(({ streamId, mediaStreamId }) => ({
        updateOne: { filter: { _id: streamId }, update: { $set: { mediaStreamId } } },
      }));
      if (each.length > 0) await streams.bulkWrite(each, { session });
    },
    /** Unless the owner has chosen a picture, or a later one is there, or was removed since. */
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
    /** Unless later ones are there. */
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
    /** Streams that are live now, with what lists show of their viewers. */
    async shownLive(): Promise<ShownStream[]> {
      const projection = { viewerCount: 1, sessionId: 1 } as const;
      const docs = await streams.find({ isLive: true }, { projection, batchSize: 1_000 }).toArray();
      return docs.map(({ _id, sessionId, viewerCount }) => ({ streamId: _id, sessionId, viewerCount }));
    },
    /** Streams that are live now, with their owners. */
    async liveChannels(): Promise<{ streamId: string; userId: string }[]> {
      const projection = { userId: 1 } as const;
      const docs = await streams.find({ isLive: true }, { projection, batchSize: 1_000 }).toArray();
      return docs.map(({ _id, userId }) => ({ streamId: _id, userId }));
    },
    /** One that has gone offline meanwhile shows none. */
    async setViewerCounts(counts: readonly { streamId: string; viewerCount: number }[]): Promise<void> {
      const each = counts.map(({ streamId, viewerCount }) => ({
        updateOne: { filter: { _id: streamId, isLive: true }, update: { $set: { viewerCount } } },
      }));
      await streams.bulkWrite(each, { ordered: false });
    },
    /**
     * Takes an epoch for the room that nobody has taken before, `least` or greater; null when there is no such stream.
     * One in which nothing is ever written does no harm.
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
    /** Never goes back: the later one stays. */
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
