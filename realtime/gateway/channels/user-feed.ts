import type { Position } from "../../../base/room-position.ts";
import type { UserLogEvent, UserLogSince } from "../../rooms/scripts/user-log.ts";
import type { Connection } from "../socket/connection.ts";
import { message } from "../socket/frames.ts";

/** A message of the topic; `heldIn`: the room whose held message it is about, `overlayId`: the overlay, if it is about one. */
export type UserMessage = { text: string; type: string; heldIn: string | null; overlayId: string | null };

const EPOCH = "room.epoch";
/** Where events about an overlay name it. */
const OVERLAY_IDS: Partial<Record<string, string>> = {
  "overlay.updated": "id",
  "overlay.tested": "overlay_id",
};

export function userMessage({ type, seq, data }: Omit<UserLogEvent, "epoch">): UserMessage {
  const text = `{"type":${JSON.stringify(type)},"channel":"user","seq":${seq},"data":${data}}`;
  return {
    text,
    type,
    heldIn: type === "chat.held_resolved" ? idIn(data, "stream_id") : null,
    overlayId: OVERLAY_IDS[type] === undefined ? null : idIn(data, OVERLAY_IDS[type]),
  };
}

function idIn(data: string, field: string): string | null {
  const read: Readonly<Record<string, unknown>> = JSON.parse(data);
  const id = read[field];
  return typeof id === "string" ? id : null;
}

/**
 * Whispers are private: programs with personal API tokens don't get them. The token of an embedded chat gets what became of held
 * messages in its own room, that of an overlay what is about the overlay, and neither gets anything else.
 */
export function maySee(
  { holder }: Pick<Connection, "holder">,
  { type, heldIn, overlayId }: UserMessage,
): boolean {
  if (holder === null) return false;
  const { grant } = holder;
  if (grant === null || type === EPOCH) return true;
  if (grant.kind === "personal") return type !== "whisper";
  if (grant.kind === "overlay") return overlayId !== null && overlayId === grant.overlayId;
  return heldIn !== null && (grant.streamId === undefined || grant.streamId === heldIn);
}

/** Whether the socket gets the whole topic: then its client's position is always that of the last event it was due. */
export const seesAll = ({ holder }: Pick<Connection, "holder">): boolean => holder?.grant === null;

/** Whether everything after the position is there. */
function isContinued(after: Position, { head, isHeld, events: [next] }: UserLogSince): boolean {
  if (isHeld) return true;
  if (after.epoch !== head.epoch) return false;
  return next ? next.epoch === after.epoch && next.seq === after.seq + 1 : after.seq === head.seq;
}

/** The messages after the position, with a `room.epoch` notice where a new epoch begins or events are missing. */
export function messagesAfter(after: Position, since: UserLogSince): UserMessage[] {
  const { head, events } = since;
  let isComplete = isContinued(after, since);
  let { epoch } = after;
  const messages: UserMessage[] = [];
  const addNotice = (at: Position, continuous: boolean) => {
    epoch = at.epoch;
    const text = message(EPOCH, "user", { epoch, continuous });
    messages.push({ text, type: EPOCH, heldIn: null, overlayId: null });
  };
  for (const event of events) {
    if (event.epoch !== epoch) addNotice(event, isComplete && event.seq === 1);
    else if (!isComplete) addNotice(event, false);
    isComplete = true;
    messages.push(userMessage(event));
  }
  if (head.epoch !== epoch) addNotice(head, isComplete && head.seq === 0);
  return messages;
}

/**
 * What a socket that comes back gets. One that sees a part of the topic can't tell by its position what it has missed, since
 * hidden events move the log on but not the client: it gets what the log still has of what it may see, also where the log no
 * longer reaches back to its position.
 */
export function missedSince(
  connection: Pick<Connection, "holder">,
  after: Position,
  since: UserLogSince,
): { recovered: boolean; messages: UserMessage[] } {
  const recovered = isContinued(after, since);
  if (!recovered && seesAll(connection)) return { recovered, messages: [] };
  const messages = messagesAfter(after, since).filter((one) => maySee(connection, one));
  // After `recovered: false` a notice of an epoch says nothing new unless an event of that epoch follows.
  return recovered || messages.some(({ type }) => type !== EPOCH)
    ? { recovered, messages }
    : { recovered, messages: [] };
}
