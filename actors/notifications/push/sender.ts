import { HOUR_MS } from "../../../base/durations.ts";
import type { PushMessage } from "../../../store/mongo/notifications/pushes.ts";

export type { PushMessage };

export type PushAnswer =
  | { outcome: "taken" }
  /** The token is permanently invalid. */
  | { outcome: "gone" }
  /** The service rejects this message for good. `isOurs`: the fault may be ours rather than that of a host named by the user. */
  | { outcome: "refused"; why: string; isOurs: boolean }
  /** The request wasn't made: too many like it are in flight. */
  | { outcome: "crowded" }
  /** To be retried. `afterMs` is the delay that the service asks for; null when it doesn't. */
  | { outcome: "later"; why: string; afterMs: number | null };

/** Hands messages to one push service. */
export type PushSender = {
  /** Rejects when the service can't be reached: retry. Neither answers nor errors contain a token or a key. */
  send(token: string, message: PushMessage): Promise<PushAnswer>;
  close(): void;
};

/** How much of a response is read. */
export const ANSWER_BYTES = 4_096;
const LONGEST_WAIT_MS = HOUR_MS;

/** Parses a Retry-After header (seconds or a date), limited to 1 s to 1 h; null when it is missing or malformed. */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  if (!header) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), LONGEST_WAIT_MS);
}

export const secondsLeft = ({ usefulUntil }: PushMessage, now: number): number =>
  Math.max(0, Math.floor((usefulUntil.getTime() - now) / 1_000));

/** The data that apps get besides the text. */
export const dataOf = ({ type, count, link }: PushMessage) => ({
  type,
  count: String(count),
  ...(link === null ? {} : { link }),
});
