import Type from "typebox";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { NewVideo } from "../../../store/mongo/live/videos.ts";
import { type HookHandlers, hookHandler } from "../../hooks/inbox.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import type { FileVisibility } from "./file-visibility.ts";
import { filePath, open, time, url } from "./hook-data.ts";

const uuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
const stream_id = uuid;
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const quality = open({
  id: count,
  label: Type.String({ minLength: 1, maxLength: 40 }),
  width: count,
  height: count,
  fps: count,
  bitrate: count,
  is_default: Type.Boolean(),
  status: Type.Union([Type.Literal("processing"), Type.Literal("ready"), Type.Literal("failed")]),
  // Becomes part of a signed URL, so it must not lead out of the stream's folder.
  path: Type.String({ pattern: "^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\\.m3u8$", maxLength: 200 }),
});
const MAX_QUALITIES = 20;

/**
 * Handlers for the media service's reports. `stream_id` is our id, which it gets when publishing starts. Reports may be late,
 * repeated and out of order, so each handler compares the report's own timestamp with what is known.
 */
export function mediaHooks({
  broadcasts,
  streams,
  files,
  addVideo,
}: {
  broadcasts: Pick<Broadcasts, "mediaLive" | "mediaIdle">;
  streams: Pick<Streams, "find" | "setLiveThumbnail" | "setQualities">;
  files: Pick<FileVisibility, "reported" | "wasDeleted">;
  addVideo: (video: NewVideo) => Promise<void>;
}): HookHandlers {
  return {
    "stream.live": hookHandler({
      data: open({ stream_id, media_stream_id: Type.Optional(uuid) }),
      subject: () => null,
      async apply({ createdAt, data }) {
        await broadcasts.mediaLive(data.stream_id, {
          mediaStreamId: data.media_stream_id ?? null,
          at: createdAt,
        });
        return "applied";
      },
    }),
    "stream.idle": hookHandler({
      data: open({ stream_id }),
      subject: () => null,
      async apply({ createdAt, data }) {
        await broadcasts.mediaIdle(data.stream_id, createdAt);
        return "applied";
      },
    }),
    "stream.thumbnail": hookHandler({
      data: open({ stream_id, thumbnail_url: url }),
      subject: () => null,
      async apply({ createdAt, data }) {
        const { stream_id: id, thumbnail_url } = data;
        await streams.setLiveThumbnail(id, thumbnail_url, createdAt);
        await files.reported({ kind: "stream", id });
        return "applied";
      },
    }),
    "stream.qualities": hookHandler({
      data: open({ stream_id, qualities: Type.Array(quality, { maxItems: MAX_QUALITIES }) }),
      subject: () => null,
      async apply({ createdAt, data }) {
        const qualities = data.qualities.map(
          ({ id, label, width, height, fps, bitrate, is_default, status, path }) => ({
            id,
            label,
            width,
            height,
            fps,
            bitrate,
            status,
            path,
            isDefault: is_default,
          }),
        );
        await streams.setQualities(data.stream_id, qualities, createdAt);
        return "applied";
      },
    }),
    "recording.ready": hookHandler({
      data: open({
        stream_id,
        media_recording_id: uuid,
        duration_seconds: count,
        started_at: Type.Optional(Type.Union([time, Type.Null()])),
        thumbnail_path: Type.Optional(Type.Union([filePath, Type.Null()])),
        thumbnail_url: Type.Optional(Type.Union([url, Type.Null()])),
      }),
      subject: () => null,
      async apply({ createdAt, data }) {
        const stream = await streams.find(data.stream_id);
        const { media_recording_id: id } = data;
        if (!stream) {
          // After an erasure, which leaves of its recordings only that they were deleted.
          if (!(await files.wasDeleted(id))) return { setAside: "there is no such stream" };
          await files.reported({ kind: "recording", id });
          return "applied";
        }
        const { thumbnail_path: thumbnailPath = null, thumbnail_url, started_at } = data;
        const startedAt = started_at ? new Date(started_at) : null;
        const address = thumbnail_url ?? stream.thumbnailUrl;
        await addVideo({
          userId: stream.userId,
          streamId: stream._id,
          mediaRecordingId: id,
          title: stream.name,
          isMature: stream.isMature,
          durationSeconds: data.duration_seconds,
          // A beginning after the report is a mistake of the media service's clock.
          ...(startedAt && startedAt <= createdAt ? { startedAt } : {}),
          ...(thumbnailPath ? { thumbnailPath, thumbnailUrl: null } : { thumbnailUrl: address }),
          publishedAt: createdAt,
        });
        await files.reported({ kind: "recording", id });
        return "applied";
      },
    }),
  };
}
