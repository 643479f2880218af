import type { ChatBadge } from "../../../contract/wire.ts";
import type { BadgeDoc } from "../../../store/mongo/chat/badges.ts";

export function badgeView({
  _id,
  type,
  channelUserId,
  name,
  color,
  imageUrl,
  createdAt,
}: BadgeDoc): ChatBadge {
  return {
    id: _id,
    name,
    image_url: imageUrl,
    ...(color === null ? {} : { color }),
    type,
    channel_id: channelUserId,
    created_at: createdAt.toISOString(),
  };
}
