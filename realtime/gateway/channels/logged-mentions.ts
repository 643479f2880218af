import type { UserEvents as UserEventData } from "../../../specs/contract/wire.ts";
import { nullIfUnavailable } from "../../../store/failures/unavailable.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { UserLogEvent } from "../../rooms/scripts/user-log.ts";
import type { UserEvents } from "../../rooms/user-events.ts";

type Mention = UserEventData["chat.mention"];

/**
 * Reading users' logs, with the messages in them as their rooms show them by now: what was deleted, cleared, or said by somebody
 * banned or erased since has no text there either, nor what can't be looked up.
 */
export function createLogReader({
  userEvents,
  rooms,
}: {
  userEvents: Pick<UserEvents, "since">;
  rooms: Pick<Rooms, "findMessage">;
}): UserEvents["since"] {
  async function asShownNow(event: UserLogEvent): Promise<UserLogEvent> {
    if (event.type !== "chat.mention") return event;
    // Appended by `createMentions` alone.
    const told: Mention = JSON.parse(event.data);
    const { stream_id: streamId, message } = told;
    const found = await nullIfUnavailable(() => rooms.findMessage(streamId, message.uuid));
    if (found && !found.is_deleted) return event;
    const data: Mention = { ...told, message: { ...message, content: "", emotes: [], is_deleted: true } };
    return { ...event, data: JSON.stringify(data) };
  }

  return async (userId, after) => {
    const since = await userEvents.since(userId, after);
    return since && { ...since, events: await Promise.all(since.events.map(asShownNow)) };
  };
}
