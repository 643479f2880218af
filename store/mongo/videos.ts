import type { ClientSession, Db } from "mongodb";
import { newId } from "../ids.ts";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

/** A recorded broadcast (spec §2 Video). */
export type VideoDoc = {
  _id: string;
  userId: string;
  streamId: string;
  /** The media service's id of the recording: at most one video per recording. */
  mediaRecordingId: string;
  title: string;
  thumbnailUrl: string | null;
  durationSeconds: number;
  viewCount: number;
  visibility: "public" | "unlisted" | "private";
  isMature: boolean;
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
          "title",
          "thumbnailUrl",
          "durationSeconds",
          "viewCount",
          "visibility",
          "isMature",
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

type NewVideo = Omit<VideoDoc, "_id" | "viewCount" | "visibility" | "createdAt">;

export type VideoChange = Partial<Pick<VideoDoc, "title" | "visibility" | "isMature">>;

export function videosIn(db: Db) {
  const videos = videosCollection.in(db);
  const deleted = deletedRecordingsCollection.in(db);
  return {
    /** Idempotent by recording: an existing video stays unchanged. */
    async add(video: NewVideo): Promise<void> {
      const { mediaRecordingId, ...rest } = video;
      if (await deleted.findOne({ _id: mediaRecordingId })) return;
      const begin = {
        _id: newId(),
        viewCount: 0,
        visibility: "public",
        createdAt: video.publishedAt,
      } as const;
      await videos.updateOne({ mediaRecordingId }, { $setOnInsert: { ...rest, ...begin } }, { upsert: true });
    },
    find: (id: string) => videos.findOne({ _id: id }),
    /** Newest first; public ones, or all for their owner. */
    pageOf: (userId: string, isOwner: boolean, skip: number, limit: number) =>
      pageIn(
        videos,
        isOwner ? { userId } : { userId, visibility: "public" },
        { publishedAt: -1, _id: -1 },
        { skip, limit },
      ),
    /** Null when it has been deleted in the meantime. */
    change: (id: string, change: VideoChange) =>
      videos.findOneAndUpdate({ _id: id }, { $set: change }, { returnDocument: "after" }),
    /** The deletion is recorded first: after a crash between the two writes the request is repeated. */
    async remove({ _id, mediaRecordingId }: VideoDoc, at: Date): Promise<boolean> {
      await deleted.updateOne({ _id: mediaRecordingId }, { $set: { deletedAt: at } }, { upsert: true });
      return (await videos.deleteOne({ _id })).deletedCount > 0;
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

export type Videos = ReturnType<typeof videosIn>;
