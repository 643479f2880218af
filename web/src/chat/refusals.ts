import { LivecoreError } from "@livecore/client";
import { faultsIn } from "../site/problems.ts";
import { serverNow } from "../site/service-clock.ts";
import { TEXTS } from "../texts/embedded.ts";
import type { Modes, Waits } from "./room.ts";

/** Why a message can't be sent. */
export type Reason = {
  /** The line, with the seconds that are left of the wait. */
  text: (seconds: number) => string;
  /** When the wait is over, Unix ms; null: waiting alone doesn't help. */
  until: number | null;
  /** Whether it may no longer be true once the modes, or the user's restrictions, change. */
  isOfRoom: boolean;
};

/** Codes that depend on the modes and on the user's restrictions. */
const OF_ROOM: readonly string[] = [
  ...["slow_mode", "followers_only", "emote_only", "first_time_chatter"],
  ...["timed_out", "banned", "chat_disabled"],
];

export const said = (line: string): Reason => ({ text: () => line, until: null, isOfRoom: false });

/** Why nothing can be sent now, whatever it is; null if nothing is known. */
export function sendBarOf(modes: Modes | null, waits: Waits | null, now: number): Reason | null {
  if (modes?.chat_enabled === false) return said(TEXTS.chat.isOff);
  if (waits?.banned) return said(TEXTS.chat.banned);
  const until = Date.parse(waits?.timed_out_until ?? "");
  return until > now ? { text: TEXTS.chat.timedOut, until, isOfRoom: true } : null;
}

/** Why a message was refused. The service's messages are written for users, but for what is wrong with a text, and for how long. */
export function refusalOf(err: unknown, isModerator: boolean): Reason {
  if (!(err instanceof LivecoreError)) return said(TEXTS.chat.notSent);
  const { code, message, details, retryAfterMs } = err;
  const until = retryAfterMs === null ? null : serverNow() + retryAfterMs;
  if (hasRule(err, "command")) return said(isModerator ? TEXTS.chat.moderatorCommand : TEXTS.chat.command);
  if (code === "validation_failed")
    return said(hasRule(err, "maxLength") ? TEXTS.chat.longer : TEXTS.chat.invalid);
  return { text: wordsOf(code, message, details, until), until, isOfRoom: OF_ROOM.includes(code) };
}

function wordsOf(
  code: string,
  message: string,
  { minutes }: LivecoreError["details"],
  until: number | null,
): Reason["text"] {
  if (code === "followers_only" && typeof minutes === "number")
    return (seconds) =>
      until === null ? TEXTS.chat.followFirst(minutes) : TEXTS.chat.followedFor(minutes, seconds);
  if (until === null) return () => message;
  if (code === "timed_out") return TEXTS.chat.timedOut;
  if (code === "slow_mode") return TEXTS.chat.slowFor;
  return (seconds) => TEXTS.chat.waitFor(message, seconds);
}

const hasRule = (err: LivecoreError, rule: string): boolean =>
  faultsIn(err).some((fault) => fault.rule === rule);

/** The seconds that are left of its wait; 0 if it has none. */
export const secondsLeft = ({ until }: Reason, now: number): number =>
  until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1_000));
