import { userSummary } from "../../actors/accounts/profile/views.ts";
import { userIdOf } from "../../actors/accounts/tokens/caller.ts";
import { cursorOf, parseCursor } from "../../base/room-position.ts";
import type { Video } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { VideoDoc } from "../../store/mongo/live/videos.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function videoRoutes(
  { bind, bindPage }: Operations,
  { media, playback, viewCounts, directory, videoTimes, rooms }: RouteDeps,
): void {
  const ownerOf = ({ userId }: VideoDoc) => directory.requireKnown(userId);

  const videoView = (video: VideoDoc, owner: UserWithoutSecrets): Video => ({
    id: video._id,
    user_id: video.userId,
    stream_id: video.streamId,
    media_recording_id: video.mediaRecordingId,
    title: video.title,
    thumbnail_url: playback.videoThumbnail(video, owner.status === "active"),
    duration_seconds: video.durationSeconds,
    view_count: video.viewCount,
    visibility: video.visibility,
    is_mature: video.isMature,
    streamer: userSummary(owner),
    started_at: video.startedAt?.toISOString() ?? null,
    published_at: video.publishedAt.toISOString(),
    created_at: video.createdAt.toISOString(),
  });

  bindPage("listVideos", async ({ caller, user }, range) => {
    const found = media.videosOf(user._id, userIdOf(caller), range);
    return mapPage(found, (video) => videoView(video, user));
  });

  bind("getVideo", async ({ video }) => videoView(video, await ownerOf(video)));

  bind("updateVideo", async ({ video, body }) => {
    const { title, visibility, is_mature: isMature } = body;
    const changed = await media.changeVideo(video._id, {
      ...(title === undefined ? {} : { title }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(isMature === undefined ? {} : { isMature }),
    });
    return videoView(changed, await ownerOf(changed));
  });

  bind("deleteVideo", ({ video }) => media.removeVideo(video));

  bind("getVideoPlayback", ({ video }) => playback.videoSourceOf(video));

  bind("listVideoChat", async ({ video, query }) => {
    const { from = 0, after, limit = 50 } = query;
    const time = await videoTimes.of(video);
    const { found, reached, hasMore } = await rooms.replay({
      streamId: video.streamId,
      from: after === undefined ? new Date(+time.from + from * 1_000) : time.from,
      to: time.to,
      after: after === undefined ? null : parseCursor(after),
      limit,
    });
    return {
      items: found.map(({ message }) => ({
        offset_seconds: (message.timestamp - +time.from) / 1_000,
        message,
      })),
      after_cursor: cursorOf(reached),
      has_more: hasMore,
    };
  });

  bind("viewVideo", async ({ caller, video, ip }) => {
    await viewCounts.count({ kind: "video", id: video._id }, { userId: userIdOf(caller), ip });
  });
}
