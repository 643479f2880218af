import { userIdOf } from "../../actors/identity/caller.ts";
import { userSummary } from "../../actors/identity/views.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Video } from "../../specs/contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/users.ts";
import type { VideoDoc } from "../../store/mongo/videos.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function videoRoutes(
  { bind, bindPage }: Operations,
  { media, playback, viewCounts, identity }: RouteDeps,
): void {
  /** Returns the video's owner; videos of a banned user are only visible to staff. Throws `not_found`. */
  async function requireVisible(video: VideoDoc, viewerId: string | null): Promise<UserWithoutSecrets> {
    const owner = await identity.requireUser(video.userId);
    const isOpenToViewer = video.visibility !== "private" || viewerId === video.userId;
    const maySee =
      (isOpenToViewer && owner.status === "active") ||
      (viewerId !== null && (await identity.isStaff(viewerId)));
    if (!maySee) throw new ServiceError("not_found");
    return owner;
  }

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
    published_at: video.publishedAt.toISOString(),
    created_at: video.createdAt.toISOString(),
  });

  bindPage("listVideos", async ({ caller, params }, { skip, limit }) => {
    const user = await identity.requireByUsername(params.username);
    if (user.status !== "active") return { items: [], total: 0 };
    const found = media.videosOf(user._id, userIdOf(caller), skip, limit);
    return mapPage(found, (video) => videoView(video, user));
  });

  bind("getVideo", async ({ caller, video }) =>
    videoView(video, await requireVisible(video, userIdOf(caller))),
  );

  bind("updateVideo", async ({ caller, video, body }) => {
    const { title, visibility, is_mature: isMature } = body;
    const changed = await media.changeVideo(video._id, {
      ...(title === undefined ? {} : { title }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(isMature === undefined ? {} : { isMature }),
    });
    return videoView(changed, await requireVisible(changed, caller.userId));
  });

  bind("deleteVideo", ({ video }) => media.removeVideo(video));

  bind("getVideoPlayback", async ({ caller, video }) => {
    await requireVisible(video, userIdOf(caller));
    return playback.videoSourceOf(video);
  });

  bind("viewVideo", async ({ caller, video, ip }) => {
    const userId = userIdOf(caller);
    await requireVisible(video, userId);
    await viewCounts.count({ kind: "video", id: video._id }, { userId, ip });
  });
}
