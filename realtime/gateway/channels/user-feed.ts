import type { Position } from "../../../store/room-position.ts";
import type { UserLogEvent } from "../../rooms/scripts/user-log.ts";
import type { UserEvents } from "../../rooms/user-events.ts";
import type { Connection } from "../socket/connection.ts";
import { message } from "../socket/frames.ts";

/** A message of the topic, and whether sockets of personal tokens get it. */
export type UserMessage = { text: string; isForTokens: boolean };

type Since = NonNullable<Awaited<ReturnType<UserEvents["since"]>>>;

/** What a user writes to another one no program reads along. */
const isForTokens = (type: string): boolean => type !== "whisper";

export function userMessage({ type, seq, data }: Omit<UserLogEvent, "epoch">): UserMessage {
  const text = `{"type":${JSON.stringify(type)},"channel":"user","seq":${seq},"data":${data}}`;
  return { text, isForTokens: isForTokens(type) };
}

export const maySee = ({ holder }: Connection, { isForTokens }: UserMessage): boolean =>
  isForTokens || (holder !== null && holder.grant === null);

/** Whether all that came after the position is there. */
export function isContinued(after: Position, { head, isHeld, events: [next] }: Since): boolean {
  if (isHeld) return true;
  if (after.epoch !== head.epoch) return false;
  return next ? next.epoch === after.epoch && next.seq === after.seq + 1 : after.seq === head.seq;
}

/** What came after the position, with a notice where numbers begin anew or some are missing. */
export function messagesAfter(after: Position, since: Since): UserMessage[] {
  const { head, events } = since;
  let isComplete = isContinued(after, since);
  let { epoch } = after;
  const messages: UserMessage[] = [];
  const say = (at: Position, continuous: boolean) => {
    epoch = at.epoch;
    const text = message("room.epoch", "user", { epoch, continuous });
    messages.push({ text, isForTokens: true });
  };
  for (const event of events) {
    if (event.epoch !== epoch) say(event, isComplete && event.seq === 1);
    else if (!isComplete) say(event, false);
    isComplete = true;
    messages.push(userMessage(event));
  }
  if (head.epoch !== epoch) say(head, isComplete && head.seq === 0);
  return messages;
}
