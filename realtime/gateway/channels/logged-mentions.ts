import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { UserEvents as UserEventData } from "../../../contract/wire.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { UserLogEvent } from "../../rooms/scripts/user-log.ts";
import type { UserEvents } from "../../rooms/user-events.ts";

type Mention = UserEventData["chat.mention"];

/**
 * Reads users' logs, with the messages in them as their rooms show them now: a message has no text if it was deleted or
 * cleared, if its author was banned or erased since, or if it can't be looked up.
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
    // Only `createMentions` appends these.
    const mention: Mention = JSON.parse(event.data);
    const { stream_id: streamId, message } = mention;
    const found = await nullIfUnavailable(() => rooms.findMessage(streamId, message.uuid));
    if (found && !found.is_deleted) return event;
    const data: Mention = { ...mention, message: { ...message, content: "", emotes: [], is_deleted: true } };
    return { ...event, data: JSON.stringify(data) };
  }

  return async (userId, after) => {
    const since = await userEvents.since(userId, after);
    return since && { ...since, events: await Promise.all(since.events.map(asShownNow)) };
  };
}
