import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { UserEvents as UserEventData } from "../../../contract/wire.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { UserMessage } from "./user-feed.ts";

type Mention = UserEventData["chat.mention"];

/**
 * Returns messages out of users' logs as their rooms show them now: a mention has no text if the message was deleted or
 * cleared, if its author was banned or erased since, or if it can't be looked up. Each mention is a look-up: pass only what
 * will be sent.
 */
export function createMentionLookup({ rooms }: { rooms: Pick<Rooms, "findMessage"> }) {
  async function asShownNow(one: UserMessage): Promise<UserMessage> {
    if (one.type !== "chat.mention") return one;
    // Only `createMentions` appends these.
    const { data: mention, ...event }: { data: Mention } = JSON.parse(one.text);
    const { stream_id: streamId, message } = mention;
    const found = await nullIfUnavailable(() => rooms.findMessage(streamId, message.uuid));
    if (found && !found.is_deleted) return one;
    const data: Mention = { ...mention, message: { ...message, content: "", emotes: [], is_deleted: true } };
    return { ...one, text: JSON.stringify({ ...event, data }) };
  }

  return (messages: readonly UserMessage[]): Promise<UserMessage[]> => Promise.all(messages.map(asShownNow));
}
