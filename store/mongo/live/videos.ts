import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { type MediaChangeTime, mediaChangesIn } from "../host/media-changes.ts";

/** A recorded broadcast (Video in docs/interface.md#2-resources). */
export type VideoDoc = {
  _id: string;
  userId: string;
  streamId: string;
  /** The media service's id of the recording: at most one video per recording. */
  mediaRecordingId: string;
  title: string;
  /** The picture's file, relative to the folder of the recording's files on the edge. */
  thumbnailPath?: string;
  /** Without such a file: a picture's address as it was reported or chosen, which isn't signed by us. */
  thumbnailUrl: string | null;
  durationSeconds: number;
  viewCount: number;
  visibility: "public" | "unlisted" | "private";
  isMature: boolean;
  /** When its first picture was made; absent if the media service didn't report it. */
  startedAt?: Date;
  publishedAt: Date;
  createdAt: Date;
};

export const videosCollection = defineCollection<VideoDoc>("videos", {
  personal: {
    erase: { userId: "delete" },
    exports: [
      {
        by: "userId",
        shows: [
          "_id",
          "title",
          "thumbnailUrl",
          "durationSeconds",
          "viewCount",
          "visibility",
          "isMature",
          "startedAt",
          "publishedAt",
        ],
      },
    ],
  },

  indexes: [
    { key: { mediaRecordingId: 1 }, unique: true },
    { key: { userId: 1, visibility: 1, publishedAt: -1, _id: -1 } }, // pageOf, for others
    { key: { userId: 1, publishedAt: -1, _id: -1 } }, // pageOf, for the owner
  ],
});

/** A recording whose video was deleted: repeated reports of it create no new video. */
type DeletedRecordingDoc = { _id: string; deletedAt: Date };

/** Longer than any reporter retries. */
const REMEMBERED_SECONDS = 30 * 86_400;

export const deletedRecordingsCollection = defineCollection<DeletedRecordingDoc>("deleted_recordings", {
  personal: "none",

  indexes: [{ key: { deletedAt: 1 }, expireAfterSeconds: REMEMBERED_SECONDS }],
});

export type NewVideo = Omit<VideoDoc, "_id" | "viewCount" | "visibility" | "createdAt">;

export type VideoChange = Partial<Pick<VideoDoc, "title" | "visibility" | "isMature">>;

export function videosIn(db: Db) {
  const videos = videosCollection.in(db);
  const deleted = deletedRecordingsCollection.in(db);
  const mediaChanges = mediaChangesIn(db);
  const changed = (
    { mediaRecordingId }: Pick<VideoDoc, "mediaRecordingId">,
    time: MediaChangeTime,
    session: ClientSession,
  ) => mediaChanges.add({ kind: "recording", id: mediaRecordingId }, time, session);

  return {
    /**
     * Idempotent by recording: an existing video stays unchanged, except that it gets its first `thumbnailPath`. A recording
     * whose video was deleted makes none.
     */
    async add(video: NewVideo, session: ClientSession): Promise<void> {
      const { mediaRecordingId, ...rest } = video;
      if (await deleted.findOne({ _id: mediaRecordingId }, { session })) return;
      const begin = {
        _id: newId(),
        viewCount: 0,
        visibility: "public",
        createdAt: video.publishedAt,
      } as const;
      await videos.updateOne(
        { mediaRecordingId },
        { $setOnInsert: { ...rest, ...begin } },
        { upsert: true, session },
      );
      const { thumbnailPath } = video;
      if (thumbnailPath === undefined) return;
      const withoutFile = { mediaRecordingId, thumbnailPath: { $exists: false } };
      await videos.updateOne(withoutFile, { $set: { thumbnailPath, thumbnailUrl: null } }, { session });
    },
    find: (id: string) => videos.findOne({ _id: id }),
    ofRecording: (mediaRecordingId: string) => videos.findOne({ mediaRecordingId }),
    wasDeleted: async (mediaRecordingId: string) =>
      (await deleted.findOne({ _id: mediaRecordingId })) !== null,
    recordingsOf: (userId: string) =>
      videos
        .find({ userId }, { projection: { mediaRecordingId: 1 } })
        .map(({ mediaRecordingId }) => mediaRecordingId),
    /** Videos of a user, at most `limit`, in no particular order. */
    someOf: (userId: string, limit: number) => videos.find({ userId }).limit(limit).toArray(),
    /** Newest first; public ones, or all for their owner. */
    pageOf: (userId: string, isOwner: boolean, range: Range) =>
      pageIn(
        videos,
        isOwner ? { userId } : { userId, visibility: "public" },
        { publishedAt: -1, _id: -1 },
        range,
      ),
    /** Null when it has been deleted in the meantime. */
    async change(
      id: string,
      change: VideoChange,
      at: Date,
      session: ClientSession,
    ): Promise<VideoDoc | null> {
      const video = await videos.findOneAndUpdate(
        { _id: id },
        { $set: change },
        { returnDocument: "after", session },
      );
      if (video && change.visibility !== undefined) await changed(video, { at }, session);
      return video;
    },
    /** Its files are removed by the media service (media-changes.ts), in that turn. False when it is already gone. */
    async remove(video: VideoDoc, time: MediaChangeTime, session: ClientSession): Promise<boolean> {
      const { _id, mediaRecordingId } = video;
      const { deletedCount } = await videos.deleteOne({ _id }, { session });
      if (deletedCount === 0) return false;
      const $set = { deletedAt: time.at };
      await deleted.updateOne({ _id: mediaRecordingId }, { $set }, { upsert: true, session });
      await changed(video, time, session);
      return true;
    },
    /** A user's number of videos, and their views. */
    async totalsOf(userId: string): Promise<{ count: number; views: number }> {
      const [totals] = await videos
        .aggregate<{ count: number; views: number }>([
          { $match: { userId } },
          { $group: { _id: null, count: { $sum: 1 }, views: { $sum: "$viewCount" } } },
        ])
        .toArray();
      return { count: totals?.count ?? 0, views: totals?.views ?? 0 };
    },
    async countViews(views: readonly { id: string; count: number }[], session: ClientSession) {
      const each = views.map(({ id, count }) => ({
        updateOne: { filter: { _id: id }, update: { $inc: { viewCount: count } } },
      }));
      if (each.length > 0) await videos.bulkWrite(each, { session });
    },
  };
}
