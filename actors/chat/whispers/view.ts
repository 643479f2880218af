import type { Whisper, WhisperConversation } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { ConversationDoc, WhisperDoc } from "../../../store/mongo/chat/whispers.ts";

/** A conversation as one of its users sees it. */
export type Conversation = {
  other: UserWithoutSecrets;
  last: ConversationDoc["last"];
  at: Date;
  isLastRead: boolean;
  unread: number;
};

export function whisperView(doc: WhisperDoc, isRead: boolean): Whisper {
  return {
    id: doc._id,
    sender_id: doc.senderId,
    recipient_id: doc.recipientId,
    content: doc.content,
    is_read: isRead,
    created_at: doc.createdAt.toISOString(),
  };
}

export function conversationView({ other, last, at, isLastRead, unread }: Conversation): WhisperConversation {
  return {
    user_id: other._id,
    username: other.username,
    ...(other.imageUrl === null ? {} : { avatar_url: other.imageUrl }),
    last_message: { content: last.content, timestamp: at.toISOString(), is_read: isLastRead },
    unread_count: unread,
  };
}
