import type { Db } from "mongodb";
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
    { key: { userId: 1, visibility: 1, publishedAt: -1, _id: -1 } }, // publicOf
  ],
});

export type NewVideo = Omit<VideoDoc, "_id" | "viewCount" | "visibility" | "createdAt">;

export function videosIn(db: Db) {
  const videos = videosCollection.in(db);
  return {
    /** Once a recording: what is known already stays as it is. */
    async add(video: NewVideo): Promise<void> {
      const { mediaRecordingId, ...rest } = video;
      const begin = {
        _id: newId(),
        viewCount: 0,
        visibility: "public",
        createdAt: video.publishedAt,
      } as const;
      await videos.updateOne({ mediaRecordingId }, { $setOnInsert: { ...rest, ...begin } }, { upsert: true });
    },
    find: (id: string) => videos.findOne({ _id: id }),
    /** Newest first. */
    publicOf: (userId: string, skip: number, limit: number) =>
      pageIn(videos, { userId, visibility: "public" }, { publishedAt: -1, _id: -1 }, { skip, limit }),
  };
}

export type Videos = ReturnType<typeof videosIn>;
