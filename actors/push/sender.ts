import type { PushMessage } from "../../store/mongo/pushes.ts";

export type { PushMessage };

export type PushAnswer =
  | { outcome: "taken" }
  /** The service knows the token no more, and never will again. */
  | { outcome: "gone" }
  /** It won't take this message. `isOurs`: something of ours may be wrong, rather than the host that its user has named. */
  | { outcome: "refused"; why: string; isOurs: boolean }
  /** It wasn't asked: too many like it are under way. */
  | { outcome: "crowded" }
  /** `afterMs`: when the service says to come again; null when it doesn't. */
  | { outcome: "later"; why: string; afterMs: number | null };

/** Hands messages to one push service. */
export type PushSender = {
  /** Rejects when the service can't be reached: to be tried again. Nothing that it says or throws holds a token or a key. */
  send(token: string, message: PushMessage): Promise<PushAnswer>;
  close(): void;
};

/** Of a whole try, ms. */
export const PUSH_DEADLINE_MS = 10_000;
/** What is read of an answer. */
export const ANSWER_BYTES = 4_096;
const LONGEST_WAIT_MS = 3_600_000;

/** Of a Retry-After header, in seconds or as a date; null without one that can be read. */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  if (!header) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), LONGEST_WAIT_MS);
}

export const secondsLeft = ({ usefulUntil }: PushMessage, now: number): number =>
  Math.max(0, Math.floor((usefulUntil.getTime() - now) / 1_000));

/** What apps are given beside the text. */
export const dataOf = ({ type, count, link }: PushMessage) => ({
  type,
  count: String(count),
  ...(link === null ? {} : { link }),
});
