import type { ChatMessage } from "../../contract/wire.ts";
import { sanitizedText } from "../../realtime/rooms/text.ts";
import type { TextRow } from "../host/outbox-draft.ts";

/** What a viewer wrote with an act. */
type Acted = {
  act: NonNullable<ChatMessage["act"]> & { type: "tip" | "redemption" };
  author: { _id: string; username: string };
  roomId: number;
  content: string;
  at: Date;
};

/** What a viewer wrote, as one line of chat; null when there is nothing that the room could show. */
export function actContent(written: string | null): string | null {
  const line = sanitizedText((written ?? "").replace(/\s+/g, " ").trim());
  return line.ok ? line.content : null;
}

/**
 * The event that brings an act's text to the room, as a message with the act's id. Put it after the event of the act itself;
 * the room decides about it when it is published.
 */
export function actMessageRow({ act, author, roomId, content, at }: Acted) {
  const message: ChatMessage = {
    uuid: act.id,
    user_id: author._id,
    username: author.username,
    room_id: roomId,
    content,
    type: act.type,
    act,
    timestamp: at.getTime(),
    is_deleted: false,
    reply_to_id: null,
    reply_to_user: null,
    created_at: at.toISOString(),
    emotes: [],
    badges: [],
  };
  return {
    type: "chat.message",
    data: message,
    effects: [{ kind: "message", uuid: act.id, authorId: author._id, unchecked: message }],
  } satisfies TextRow;
}
