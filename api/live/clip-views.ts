import { userSummary } from "../../actors/accounts/profile/views.ts";
import type { Directory, Staff } from "../../actors/accounts/public.ts";
import type { Viewer } from "../../actors/accounts/tokens/caller.ts";
import type { ClipFeature } from "../../actors/live/clips/clips.ts";
import type { Playback } from "../../actors/live/playback/playback.ts";
import type { Clip } from "../../contract/wire.ts";
import type { ClipDoc } from "../../store/mongo/live/clips.ts";

type Deps = {
  clips: Pick<ClipFeature, "likedAmong">;
  directory: Pick<Directory, "usersByIds">;
  staff: Pick<Staff, "seesAsStaff">;
  playback: Pick<Playback, "clipAddresses">;
};

/** `named`: the request names the clip, or its channel, so that those are shown who may look into it. */
type Options = { named?: true };

/**
 * The views of clips for a caller. Clips whose channel or author was banned, or is deleting the account, are left out, except of
 * `named` ones: staff see these, and an owner those of the channel.
 */
export function createClipViews({ clips, directory, staff, playback }: Deps) {
  return async (docs: readonly ClipDoc[], viewer: Viewer, { named }: Options = {}): Promise<Clip[]> => {
    const ids = docs.map(({ _id }) => _id);
    const [users, liked] = await Promise.all([
      directory.usersByIds(docs.flatMap(({ channelUserId, userId }) => [channelUserId, userId])),
      viewer === null ? null : clips.likedAmong(ids, viewer.userId),
    ]);
    const isOpen = ({ channelUserId, userId }: ClipDoc) =>
      [channelUserId, userId].every((id) => users.get(id)?.status === "active");
    const looksInto = named === true && viewer !== null;
    const isStaff = looksInto && !docs.every(isOpen) && (await staff.seesAsStaff(viewer));
    return docs.flatMap((doc) => {
      const [streamer, creator] = [users.get(doc.channelUserId), users.get(doc.userId)];
      const isShown = isOpen(doc) || isStaff || (looksInto && viewer.userId === doc.channelUserId);
      if (!streamer || !isShown) return [];
      return clipView(doc, {
        streamer: userSummary(streamer),
        creator: creator ? userSummary(creator) : null,
        ...playback.clipAddresses(doc, isOpen(doc)),
        ...(liked && { liked: liked.has(doc._id) }),
      });
    });
  };
}

type More = Pick<Clip, "streamer" | "creator" | "liked" | "video_url" | "thumbnail_url">;

const clipView = (clip: ClipDoc, more: More): Clip => ({
  id: clip._id,
  stream_id: clip.streamId,
  user_id: clip.userId,
  title: clip.title,
  description: clip.description,
  duration: clip.durationSeconds,
  start_time: clip.startTime,
  end_time: clip.endTime,
  visibility: clip.visibility,
  is_mature: clip.isMature ?? false,
  views_count: clip.viewsCount,
  likes_count: clip.likesCount,
  status: clip.status,
  ...more,
  created_at: clip.createdAt.toISOString(),
  updated_at: clip.updatedAt.toISOString(),
});
