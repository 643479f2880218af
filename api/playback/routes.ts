import type { Identity } from "../../actors/identity/identity.ts";
import { userSummary } from "../../actors/identity/views.ts";
import type { Ingest } from "../../actors/ingest/ingest.ts";
import type { IngestNetworks } from "../../actors/ingest/networks.ts";
import type { Media } from "../../actors/playback/media.ts";
import type { Playback } from "../../actors/playback/playback.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { UserSummary, Video } from "../../specs/contract/wire.ts";
import type { VideoDoc } from "../../store/mongo/videos.ts";
import type { Operations } from "../http/bind.ts";
import { eachAs } from "../http/pagination.ts";

export type PlaybackRouteDeps = {
  playback: Playback;
  ingest: Pick<Ingest, "config">;
  media: Pick<Media, "report" | "videosOf">;
  /** Throws `not_found`. */
  identity: Pick<Identity, "requireByUsername">;
  networks: IngestNetworks;
};

export function playbackRoutes(
  { bind, bindPage }: Operations,
  { playback, ingest, media, identity, networks }: PlaybackRouteDeps,
): void {
  /** Beside the system key: keys are shown to the platform's own machines alone. */
  function requireNetwork(ip: string): void {
    if (!networks.has(ip)) throw new ServiceError("forbidden");
  }

  bind("getPlayback", ({ stream, query }) => playback.sourceOf(stream, query.protocol ?? "hls"));

  bind("getEdgeConfig", ({ ip }) => {
    requireNetwork(ip);
    return playback.edgeConfig();
  });

  bind("getIngestConfig", ({ ip }) => {
    requireNetwork(ip);
    return ingest.config();
  });

  bind("mediaHook", async ({ body, headers }) => {
    // The signature was over it.
    await media.report(String(headers["webhook-id"]), { ...body, data: { ...body.data } });
    return { received: true };
  });

  bindPage("listVideos", async ({ params }, { skip, limit }) => {
    const user = await identity.requireByUsername(params.username);
    const streamer = userSummary(user);
    return eachAs(media.videosOf(user._id, skip, limit), (video) => videoView(video, streamer));
  });
}

const videoView = (video: VideoDoc, streamer: UserSummary): Video => ({
  id: video._id,
  user_id: video.userId,
  stream_id: video.streamId,
  media_recording_id: video.mediaRecordingId,
  title: video.title,
  thumbnail_url: video.thumbnailUrl,
  duration_seconds: video.durationSeconds,
  view_count: video.viewCount,
  visibility: video.visibility,
  is_mature: video.isMature,
  streamer,
  published_at: video.publishedAt.toISOString(),
  created_at: video.createdAt.toISOString(),
});
