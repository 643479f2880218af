import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { type ClipDoc, type ClipFiles, type ClipRequest, clipsCollection, isListed } from "./clips.ts";

export type ClipMade = Pick<ClipDoc, "files" | "videoUrl" | "thumbnailUrl"> & {
  durationSeconds: number | null;
};

/** How the media service makes clips: its pending requests, and what it reports. */
export function clipProductionIn(db: Db) {
  const clips = clipsCollection.in(db);
  const batchedFind = batchedFinds(db);

  return {
    /** Null when it was already made, has failed or was removed meanwhile. */
    async made(
      id: string,
      { files, videoUrl, thumbnailUrl, durationSeconds }: ClipMade,
      at: Date,
      session: ClientSession,
    ): Promise<ClipDoc | null> {
      const shown = { videoUrl: { $literal: videoUrl }, thumbnailUrl: { $literal: thumbnailUrl } };
      const reported = files === undefined ? shown : { ...shown, files: { $literal: files } };
      const set = { ...reported, status: "ready", request: null, updatedAt: at };
      return clips.findOneAndUpdate(
        { _id: id, status: "processing" },
        [{ $set: durationSeconds === null ? set : { ...set, durationSeconds } }, { $set: { isListed } }],
        { returnDocument: "after", session },
      );
    },
    /** The media service has given files to a clip of which it had reported addresses. False when there is no such clip. */
    async movedToFiles(id: string, files: ClipFiles, at: Date, session: ClientSession): Promise<boolean> {
      const { matchedCount } = await clips.updateOne(
        { _id: id, status: "ready", videoUrl: { $type: "string" } },
        { $set: { files, videoUrl: null, thumbnailUrl: null, updatedAt: at } },
        { session },
      );
      return matchedCount > 0;
    },
    async failed(id: string, at: Date): Promise<void> {
      await clips.updateOne(
        { _id: id, status: "processing" },
        { $set: { status: "failed", request: null, updatedAt: at } },
        { writeConcern: { w: "majority", journal: true } },
      );
    },

    /** Requests to be sent or given up. */
    due: (now: Date, limit: number) =>
      batchedFind(
        clips,
        { "request.dueAt": { $type: "date", $lte: now } },
        { sort: { "request.dueAt": 1 }, limit },
      ),
    /** Unless it has been answered in the meantime. */
    later: async (id: string, request: ClipRequest) =>
      void (await clips.updateOne({ _id: id, status: "processing" }, { $set: { request } })),
  };
}
