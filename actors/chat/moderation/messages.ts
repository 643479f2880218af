import { type RateLimit, ServiceError } from "../../../contract/errors.ts";
import type { PositionedMessage } from "../../../realtime/rooms/history.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { type ChatMessages, chatMessageDoc } from "../../../store/mongo/chat/chat-messages.ts";
import { type ChannelRoles, mayActOn } from "../../channels/public.ts";
import { type ModerationLog, type ModeratorRequest, ROOM_RULE } from "./moderation-log.ts";

/** The rate limit of one user over all workers and rooms; high enough for clean-up tools. */
export const DELETES: RateLimit = { bucket: "deletes", limit: 300, windowSeconds: 60 };

type MessageDeps = {
  moderationLog: ModerationLog;
  /** Takes one of DELETES. Throws rate_limited. */
  takeDelete(userId: string): Promise<unknown>;
  channelRoles: ChannelRoles;
  requireStream(streamId: string): Promise<StreamDoc>;
  /** Null when the room, its archive included, has no such message. */
  findPlaced(streamId: string, uuid: string): Promise<PositionedMessage | null>;
  archive: Pick<ChatMessages, "delete" | "redactAct">;
};

export function createMessageActions(deps: MessageDeps) {
  const { moderationLog, takeDelete, channelRoles, requireStream, findPlaced, archive } = deps;
  return {
    /**
     * Removes a message's text. Authors may delete their own messages, which isn't a moderation action and isn't logged as one.
     * Moderators may delete those of users they may act on; otherwise throws `forbidden`. Idempotent. Guessing message ids ends
     * in `rate_limited`.
     */
    async deleteMessage({ uuid, ...moderating }: ModeratorRequest & { uuid: string }): Promise<void> {
      const { streamId, by } = moderating;
      await takeDelete(by);
      const stream = await requireStream(streamId);
      const found = await findPlaced(streamId, uuid);
      if (!found) {
        // Callers who may not moderate don't learn which messages exist.
        if (!mayActOn(await channelRoles.roleOf(stream, by), null)) throw new ServiceError("forbidden");
        throw new ServiceError("not_found");
      }
      const { message } = found;
      const isAuthor = message.user_id === by;
      const rule = { targetId: message.user_id, allows: isAuthor ? () => true : mayActOn };
      if (!isAuthor) {
        // The deletion's transaction checks this again. Checked here too, so that unauthorized callers cause no writes.
        await moderationLog.requirePermission(stream, moderating, rule);
      }
      if (message.is_deleted) return archive.redactAct(message);

      const action = { by, targetId: message.user_id };
      await moderationLog.enforce(moderating, rule, async (current, session) => {
        // In the action's own transaction, whatever Redis learns of it later (decision 17).
        await archive.delete(chatMessageDoc(streamId, found, message), moderationLog.now(), session);
        return {
          effects: [{ kind: "delete", uuid }],
          events: [{ type: "chat.message_deleted", data: { uuid } }],
          log: isAuthor ? [] : [moderationLog.entry(current, action, { action: "delete_message" })],
        };
      });
    },

    /** Deletes all messages so far. */
    async clear(moderating: ModeratorRequest): Promise<void> {
      const { by } = moderating;
      await moderationLog.enforce(moderating, ROOM_RULE, async (stream) => ({
        effects: [{ kind: "clear" }],
        events: [{ type: "chat.cleared", data: {} }],
        log: [moderationLog.entry(stream, { by, targetId: null }, { action: "clear" })],
      }));
    },
  };
}

export type MessageActions = ReturnType<typeof createMessageActions>;
