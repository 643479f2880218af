import { isUpTo, type Position } from "../../base/room-position.ts";
import type { ChatHidden } from "../../store/mongo/chat/chat-hidden.ts";

type MessagePosition = Position & { userId: string };

/**
 * Which messages MongoDB knows to be hidden by clears and bans (decision 17), for messages of the archive and for those of a
 * log whose server may have lost it. Call it after the messages were read, so that every clear and ban acknowledged before
 * that read hides them.
 */
export function createHiddenFilter(deps: {
  hidden: Pick<ChatHidden, "upTo">;
  /** The position up to which a room's chat was cleared. */
  clearedUpTo(streamId: string): Promise<Position | null>;
}) {
  return async function hiding(
    streamId: string,
    userIds: readonly string[],
  ): Promise<(message: MessagePosition) => boolean> {
    const [cleared, users] = await Promise.all([
      deps.clearedUpTo(streamId),
      deps.hidden.upTo(streamId, [...new Set(userIds)]),
    ]);
    return (message) => isUpTo(message, cleared) || isUpTo(message, users.get(message.userId) ?? null);
  };
}

export type HiddenFilter = ReturnType<typeof createHiddenFilter>;
