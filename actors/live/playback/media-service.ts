import type { Clock } from "../../../base/clock.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import type { Clip } from "../../../contract/wire.ts";
import type { MediaThing } from "../../../store/mongo/host/media-changes.ts";
import type { ClipDoc } from "../../../store/mongo/live/clips.ts";
import { signedHeaders } from "../../hooks/signatures.ts";

/** The service has refused the request permanently. */
export class RequestRefused extends Error {
  override name = "RequestRefused";
}

/** The service that produces clips of broadcasts, and keeps the files of clips and recordings. */
export type MediaService = {
  /** Idempotent per clip. Rejects when it must be retried; with RequestRefused when it must not. */
  requestClip(clip: ClipDoc, source: ClipSource): Promise<void>;
  /** Reports the state of a clip's or recording's files. Idempotent; rejects unless the media service has accepted it. */
  reportFiles(files: FilesState): Promise<void>;
  /** Has the pictures deleted that were taken of a stream until then. Idempotent and rejecting like reportFiles. */
  deletePictures(of: { streamId: string; takenUntil: Date; hookId: string }): Promise<void>;
};

/** The recording from which a clip is cut. */
type ClipSource = { mediaStreamId: string | null; broadcastStartedAt: Date };

/** `visibility` is null for what was removed. `hookId`: the same for repetitions, another for each change. */
export type FilesState = {
  thing: MediaThing;
  visibility: Clip["visibility"] | null;
  hookId: string;
  at: Date;
};

/** The configured URL and signing secret. */
export type MediaServiceSettings = { url: string; requestSecret: string };

/** One signed POST per request, in the format of its own reports: Standard Webhooks. */
export function createMediaService({ url, requestSecret }: MediaServiceSettings, clock: Clock): MediaService {
  async function post(id: string, type: string, at: Date, data: Record<string, unknown>): Promise<void> {
    const body = JSON.stringify({ id, type, created_at: at.toISOString(), data });
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signedHeaders(requestSecret, id, body, clock.now()) },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(PEER_DEADLINES_MS.mediaService),
    });
    await answer.body?.cancel();
    const reason = `the media service answered ${answer.status}`;
    if (answer.status === 400 || answer.status === 422) throw new RequestRefused(reason);
    if (!answer.ok) throw new Error(reason);
  }

  return {
    /** `webhook-id` is the clip's id. */
    requestClip: (clip, { mediaStreamId, broadcastStartedAt }) =>
      post(clip._id, "clip.create", clip.createdAt, {
        clip_id: clip._id,
        stream_id: clip.streamId,
        media_stream_id: mediaStreamId,
        broadcast_id: clip.broadcastId,
        broadcast_started_at: broadcastStartedAt.toISOString(),
        start_time: clip.startTime,
        end_time: clip.endTime,
      }),

    reportFiles: ({ thing: { kind, id }, visibility, hookId, at }) =>
      post(hookId, `${kind}.${visibility === null ? "delete" : "set_visibility"}`, at, {
        [ID_FIELDS[kind]]: id,
        ...(visibility === null ? {} : { visibility }),
      }),

    deletePictures: ({ streamId, takenUntil, hookId }) =>
      post(hookId, "stream.delete_thumbnails", takenUntil, {
        stream_id: streamId,
        taken_until: takenUntil.toISOString(),
      }),
  };
}

const ID_FIELDS = { clip: "clip_id", recording: "media_recording_id" } as const satisfies Record<
  MediaThing["kind"],
  string
>;
