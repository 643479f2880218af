import type { Clock } from "../../store/clock.ts";
import type { ClipDoc } from "../../store/mongo/clips.ts";
import { signedHeaders } from "../hooks/signatures.ts";

/** One that doesn't answer keeps the others waiting no longer. */
const DEADLINE_MS = 5_000;

/** The service has answered that it never will. */
export class RequestRefused extends Error {
  override name = "RequestRefused";
}

/** What makes clips of broadcasts. */
export type MediaService = {
  /** The same clip again is the same request. Rejects when it has to be tried again, with RequestRefused when it mustn't. */
  requestClip(clip: ClipDoc, source: ClipSource): Promise<void>;
};

/** What a clip is cut out of. */
export type ClipSource = { mediaStreamId: string | null; broadcastStartedAt: Date };

/** Where it is and what signs, as configured. */
export type MediaServiceSettings = { url: string; webhookSecret: string };

/** By one signed POST, like the reports that come from there: Standard Webhooks. `webhook-id` is the clip's id. */
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
      const said = `the media service answered ${answer.status}`;
      if (answer.status === 400 || answer.status === 422) throw new RequestRefused(said);
      if (!answer.ok) throw new Error(said);
    },
  };
}
