import type {
  CategorySummary,
  FollowNotifications,
  OwnerStream,
  Stream,
  StreamCard,
  StreamIngest,
  StreamSummary,
  UserSummary,
} from "../../contract/wire.ts";
import type { FollowDoc } from "../../store/mongo/channels/follows.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { ListedStream } from "../../store/mongo/live/listed-streams.ts";
import type { CategoryNames } from "./categories.ts";

/** Fields of the stream that only the channel's owner sees. */
export type OwnerFields = { serverUrl: string; streamKey: string; ingest: StreamIngest };

/** Chat settings are the base ones, without the effects of shield mode. */
export function streamView(stream: StreamDoc, viewers: number): Stream {
  const { modes } = stream;
  return {
    id: stream._id,
    user_id: stream.userId,
    name: stream.name,
    thumbnail_url: stream.thumbnailUrl,
    category_id: stream.categoryId,
    is_live: stream.isLive,
    realtime_viewer_count: viewers,
    ingress_id: stream.ingressId,
    media_stream_id: stream.mediaStreamId,
    is_chat_enabled: modes.chatEnabled,
    is_chat_followers_only: modes.followersOnly,
    chat_slow_mode: modes.slow,
    chat_slow_mode_seconds: modes.slowSeconds,
    chat_emote_only: modes.emoteOnly,
    chat_followers_only_minutes: modes.followersMinutes,
    chat_unique_chat: modes.uniqueChat,
    chat_shield_mode: modes.shieldMode,
    language: stream.language,
    is_mature: stream.isMature,
    tags: stream.tags,
    created_at: stream.createdAt.toISOString(),
    updated_at: stream.updatedAt.toISOString(),
  };
}

/** The same for its owner, with the ingest endpoint, the secret key, and how far a broadcast has come. */
export function ownStreamView(stream: StreamDoc, viewers: number, owner: OwnerFields): OwnerStream {
  return {
    ...streamView(stream, viewers),
    server_url: owner.serverUrl,
    stream_key: owner.streamKey,
    ingress_pull_url: stream.ingressPullUrl,
    ingest: owner.ingest,
  };
}

/** A stream as part of a profile or a follow. */
export function streamSummary(stream: StreamDoc, viewers: number, categories: CategoryNames): StreamSummary {
  return {
    id: stream._id,
    name: stream.name,
    thumbnail_url: stream.thumbnailUrl,
    is_live: stream.isLive,
    realtime_viewer_count: viewers,
    is_chat_enabled: stream.modes.chatEnabled,
    is_chat_followers_only: stream.modes.followersOnly,
    ...categoryOf(stream, categories),
  };
}

/** `user` is the owner. */
export function streamCard(
  stream: ListedStream,
  viewers: number,
  { user, categories }: { user: UserSummary; categories: CategoryNames },
): StreamCard {
  return {
    id: stream._id,
    name: stream.name,
    thumbnail_url: stream.thumbnailUrl,
    is_live: stream.isLive,
    realtime_viewer_count: viewers,
    updated_at: stream.updatedAt.toISOString(),
    user,
    ...categoryOf(stream, categories),
    language: stream.language,
    is_mature: stream.isMature,
    tags: stream.tags,
  };
}

/** The card for shelves and searches; only lists have tags. */
export function withoutTags({ tags: _tags, ...card }: StreamCard): StreamCard {
  return card;
}

/** What a follow notifies its follower of. */
export const notificationsOf = ({ isMuted }: FollowDoc): FollowNotifications => (isMuted ? "none" : "all");

/** Omitted when no category is chosen or it has been deleted. */
function categoryOf(
  stream: Pick<StreamDoc, "categoryId">,
  categories: CategoryNames,
): { category?: CategorySummary } {
  const category = stream.categoryId === null ? undefined : categories.get(stream.categoryId);
  return category ? { category } : {};
}
