import type { Position } from "../../../base/room-position.ts";
import type { UserLogEvent } from "../../rooms/scripts/user-log.ts";
import type { UserEvents } from "../../rooms/user-events.ts";
import type { Connection } from "../socket/connection.ts";
import { message } from "../socket/frames.ts";

/** A message of the topic, and whether sockets of personal API tokens get it. */
export type UserMessage = { text: string; isForTokens: boolean };

type Since = NonNullable<Awaited<ReturnType<UserEvents["since"]>>>;

/** Whispers are private: programs with personal API tokens don't get them. */
const isForTokens = (type: string): boolean => type !== "whisper";

export function userMessage({ type, seq, data }: Omit<UserLogEvent, "epoch">): UserMessage {
  const text = `{"type":${JSON.stringify(type)},"channel":"user","seq":${seq},"data":${data}}`;
  return { text, isForTokens: isForTokens(type) };
}

export const maySee = ({ holder }: Connection, { isForTokens }: UserMessage): boolean =>
  isForTokens || (holder !== null && holder.grant === null);

/** Whether everything after the position is there. */
export function isContinued(after: Position, { head, isHeld, events: [next] }: Since): boolean {
  if (isHeld) return true;
  if (after.epoch !== head.epoch) return false;
  return next ? next.epoch === after.epoch && next.seq === after.seq + 1 : after.seq === head.seq;
}

/** The messages after the position, with a `room.epoch` notice where a new epoch begins or events are missing. */
export function messagesAfter(after: Position, since: Since): UserMessage[] {
  const { head, events } = since;
  let isComplete = isContinued(after, since);
  let { epoch } = after;
  const messages: UserMessage[] = [];
  const addNotice = (at: Position, continuous: boolean) => {
    epoch = at.epoch;
    const text = message("room.epoch", "user", { epoch, continuous });
    messages.push({ text, isForTokens: true });
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
