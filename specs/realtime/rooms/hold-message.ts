import { newId } from "../../../base/ids.ts";
import { heldDraft } from "../../../realtime/rooms/held.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";

/** Holds a message for the moderators as admission does, whatever the room's rules are. Returns its id. */
export async function holdMessage(
  redis: RedisConnection,
  of: { stream: Pick<StreamDoc, "_id" | "roomId">; author: { _id: string; username: string }; now: number },
  content: string,
  term = "term",
): Promise<string> {
  const { stream, author, now } = of;
  const draft = heldDraft(
    stream._id,
    {
      uuid: newId(),
      user_id: author._id,
      username: author.username,
      room_id: stream.roomId,
      content,
      type: "message",
      timestamp: now,
      is_deleted: false,
      reply_to_id: null,
      reply_to_user: null,
      created_at: new Date(now).toISOString(),
      emotes: [],
      badges: [],
    },
    { action: "hold", term },
  );
  const due = now + 300_000;
  await redis.hset(keys.roomHeld(stream._id), draft.id, `${due} ${draft.json}`);
  await redis.zadd(keys.shardHeld(shardOf(stream._id)), due, `${stream._id} ${draft.id}`);
  return draft.id;
}
