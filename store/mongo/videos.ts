import type { ClientSession, Db } from "mongodb";
import { newId } from "../ids.ts";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

/** A broadcast that was recorded (spec §2 Video). */
export type VideoDoc = {
  _id: string;
  userId: string;
  streamId: string;
  /** The media service's id of the recording: a recording makes one video. */
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

/** A recording whose video was deleted: a report of it that comes again makes none. */
export type DeletedRecordingDoc = { _id: string; deletedAt: Date };

/** Longer than any reporter tries. */
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
  return {
    /** Once a recording: what is known already stays as it is. */
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
    /** Newest first; those that anybody may see, or all for their owner. */
    pageOf: (userId: string, isOwner: boolean, skip: number, limit: number) =>
      pageIn(
        videos,
        isOwner ? { userId } : { userId, visibility: "public" },
        { publishedAt: -1, _id: -1 },
        { skip, limit },
      ),
    /** Null when it has been deleted meanwhile. */
    change: (id: string, change: VideoChange) =>
      videos.findOneAndUpdate({ _id: id }, { $set: change }, { returnDocument: "after" }),
    /** First it is remembered: who dies between the two is asked again. */
    async remove({ _id, mediaRecordingId }: VideoDoc, at: Date): Promise<boolean> {
      await deleted.updateOne({ _id: mediaRecordingId }, { $set: { deletedAt: at } }, { upsert: true });
      return (await videos.deleteOne({ _id })).deletedCount > 0;
    },
    /** How many a user has, and their views. */
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
