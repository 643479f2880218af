import type { ChatHidden } from "../../store/mongo/chat-hidden.ts";
import { isUpTo, type Position } from "../../store/room-position.ts";

type Said = Position & { userId: string };

/**
 * What MongoDB knows of clears and bans (decision 17), for messages of the archive and for those of a log whose server
 * may have lost it. Ask after the messages were read, so that what was answered before hides them.
 */
export function createHiding(deps: {
  hidden: Pick<ChatHidden, "upTo">;
  /** Up to where a room's chat was cleared. */
  clearedUpTo(streamId: string): Promise<Position | null>;
}) {
  return async function hiding(
    streamId: string,
    userIds: readonly string[],
  ): Promise<(message: Said) => boolean> {
    const [cleared, users] = await Promise.all([
      deps.clearedUpTo(streamId),
      deps.hidden.upTo(streamId, [...new Set(userIds)]),
    ]);
    return (message) => isUpTo(message, cleared) || isUpTo(message, users.get(message.userId) ?? null);
  };
}

export type Hiding = ReturnType<typeof createHiding>;
