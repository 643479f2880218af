import { ServiceError } from "../../../contract/errors.ts";
import type { ChatMessage, ChatPin } from "../../../contract/wire.ts";
import type { PinDoc, StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { type ModerationLog, type ModeratorRequest, ROOM_RULE } from "./moderation-log.ts";

type PinDeps = {
  moderationLog: ModerationLog;
  /** Null when the room has no such message; one that is deleted comes without its text. */
  findMessage(streamId: string, uuid: string): Promise<ChatMessage | null>;
};

type Shown = Pick<StreamDoc, "_id" | "pin">;

/**
 * A room's pinned message (docs/decisions/0122): only its id is stored, and the message is looked up when it is shown, so that
 * one that was deleted, cleared or hidden by a ban isn't shown by its pin either.
 */
export function createPins({ moderationLog, findMessage }: PinDeps) {
  async function visible(streamId: string, uuid: string): Promise<ChatMessage | null> {
    const message = await findMessage(streamId, uuid);
    return message?.is_deleted === false ? message : null;
  }

  /** The pin that is in force, with its message; null for none. */
  async function pinOf({ _id, pin }: Shown): Promise<ChatPin | null> {
    if (!pin || (pin.until && pin.until <= moderationLog.now())) return null;
    const message = await visible(_id, pin.uuid);
    return message && { message, ...timesOf(pin) };
  }

  return {
    pinOf,

    /** Replaces the pin that there is. Throws `not_found` for a message that isn't shown in the room. */
    async pinMessage(
      moderating: ModeratorRequest,
      { uuid, durationSeconds }: { uuid: string; durationSeconds: number | null },
    ): Promise<ChatPin> {
      const { streamId, by } = moderating;
      const message = await visible(streamId, uuid);
      if (!message) throw new ServiceError("not_found");
      const { pin } = await moderationLog.enforce(moderating, ROOM_RULE, async (stream) => {
        const at = moderationLog.now();
        const until = durationSeconds === null ? null : new Date(at.getTime() + durationSeconds * 1_000);
        const pin = { uuid, at, until };
        return {
          pin,
          effects: [],
          events: [{ type: "chat.pinned", data: { uuid, ...timesOf(pin) } }],
          log: [moderationLog.entry(stream, { by, targetId: message.user_id }, { action: "message_pinned" })],
        };
      });
      if (!pin) throw new Error("a message that is pinned has a pin");
      return { message, ...timesOf(pin) };
    },

    /** Does nothing without a pin that is in force. */
    async unpinMessage(moderating: ModeratorRequest): Promise<void> {
      const { by } = moderating;
      await moderationLog.enforce(moderating, ROOM_RULE, async (stream) => {
        const shown = await pinOf(stream);
        if (!shown) return null;
        return {
          pin: null,
          effects: [],
          events: [{ type: "chat.unpinned", data: { uuid: shown.message.uuid } }],
          log: [moderationLog.entry(stream, { by, targetId: null }, { action: "message_unpinned" })],
        };
      });
    },
  };
}

const timesOf = ({ at, until }: PinDoc) => ({
  pinned_at: at.toISOString(),
  expires_at: until?.toISOString() ?? null,
});
