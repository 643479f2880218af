import type { Clock } from "../../store/clock.ts";
import type { ClipDoc } from "../../store/mongo/clips.ts";
import { signedHeaders } from "../hooks/signatures.ts";

/** Keeps a request that isn't answered from delaying the others for longer. */
const DEADLINE_MS = 5_000;

/** The service has refused the request permanently. */
export class RequestRefused extends Error {
  override name = "RequestRefused";
}

/** The service that produces clips of broadcasts. */
export type MediaService = {
  /** Idempotent per clip. Rejects when it must be retried; with RequestRefused when it must not. */
  requestClip(clip: ClipDoc, source: ClipSource): Promise<void>;
};

/** The recording from which a clip is cut. */
type ClipSource = { mediaStreamId: string | null; broadcastStartedAt: Date };

/** The configured URL and signing secret. */
export type MediaServiceSettings = { url: string; webhookSecret: string };

/** One signed POST per request, in the format of its own reports: Standard Webhooks. `webhook-id` is the clip's id. */
export function createMediaService({ url, webhookSecret }: MediaServiceSettings, clock: Clock): MediaService {
  return {
    async requestClip(clip, { mediaStreamId, broadcastStartedAt }) {
      const body = JSON.stringify({
        id: clip._id,
        type: "clip.create",
        created_at: clip.createdAt.toISOString(),
        data: {
          clip_id: clip._id,
          stream_id: clip.streamId,
          media_stream_id: mediaStreamId,
          broadcast_id: clip.broadcastId,
          broadcast_started_at: broadcastStartedAt.toISOString(),
          start_time: clip.startTime,
          end_time: clip.endTime,
        },
      });
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...signedHeaders(webhookSecret, clip._id, body, clock.now()),
        },
        body,
        redirect: "error",
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      await answer.body?.cancel();
      const reason = `the media service answered ${answer.status}`;
      if (answer.status === 400 || answer.status === 422) throw new RequestRefused(reason);
      if (!answer.ok) throw new Error(reason);
    },
  };
}
